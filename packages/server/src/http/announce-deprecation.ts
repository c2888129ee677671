import type { FastifyReply } from 'fastify';
import type { Services } from '../domain/services.ts';

/** Tells in headers that the model of a request is deprecated: RFC 9745 since when, RFC 8594 until when, and what to use instead. */
export function announceDeprecation(services: Pick<Services, 'catalog'>, reply: FastifyReply, body: unknown): void {
  // A submit is looked at before it is known to be valid.
  const modelId = (body as { modelId?: unknown } | null | undefined)?.modelId;
  const deprecation = typeof modelId === 'string' ? services.catalog().models.get(modelId)?.entry.deprecation : null;
  if (deprecation === null || deprecation === undefined) return;
  reply.header('deprecation', `@${Math.floor(Date.parse(deprecation.deprecatedAt) / 1000)}`);
  reply.header('sunset', new Date(deprecation.sunsetAt).toUTCString());
  if (deprecation.replacement !== null) {
    reply.header('link', `</v1/models/${deprecation.replacement}>; rel="successor-version"`);
  }
}
