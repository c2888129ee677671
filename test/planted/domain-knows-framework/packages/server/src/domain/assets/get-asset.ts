import type { FastifyRequest } from 'fastify';

export const getAsset = (request: FastifyRequest): string => request.id;
