import type { FastifyReply } from 'fastify';
import type { Services } from '../domain/services.ts';

/** Adds headers if the request's model is deprecated: since when (RFC 9745), until when (RFC 8594), and its successor. */
export function announceDeprecation(services: Pick<Services, 'catalog'>, reply: FastifyReply, body: unknown): void {
  // The body is not validated yet.
  const modelId = (body as { modelId?: unknown } | null | undefined)?.modelId;
  const deprecation = typeof modelId === 'string' ? services.catalog().models.get(modelId)?.entry.deprecation : null;
  if (deprecation === null || deprecation === undefined) return;
  reply.header('deprecation', `@${Math.floor(Date.parse(deprecation.deprecatedAt) / 1000)}`);
  reply.header('sunset', new Date(deprecation.sunsetAt).toUTCString());
  if (deprecation.replacement !== null) {
    reply.header('link', `</v1/models/${deprecation.replacement}>; rel="successor-version"`);
  }
}
