import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './schemas.ts';

export { createExpressReceiver } from './receivers/express.ts';
export { createFastifyReceiver } from './receivers/fastify.ts';
export { createHonoReceiver } from './receivers/hono.ts';
export { createNextReceiver } from './receivers/next.ts';
export type { ReceiverOptions } from './receivers/receive-webhook.ts';
export {
  type BudgetReachedEvent,
  type HeaderSource,
  type RawBody,
  type ReceivedEvent,
  unwrap,
  type VerifyOptions,
  verify,
} from './verify-webhook.ts';
export { type WebhookEvent, WebhookVerificationError };
