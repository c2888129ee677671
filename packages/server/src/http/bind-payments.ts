import type { FastifyInstance } from 'fastify';
import { refuseWhileReadOnly } from '../domain/operator/switch-board.ts';
import type { Payments } from '../domain/payments/payments.ts';
import { receivePaymentEvent } from '../domain/payments/receive-payment-event.ts';
import type { Services } from '../domain/services.ts';
import { Problem } from '../platform/problem.ts';

/** Stripe's events are a few kilobytes. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Where the payment provider reports payments. It is not part of the public API: only the provider's signature over the exact
 * bytes admits a request.
 */
export async function bindPayments(
  app: FastifyInstance,
  services: Pick<Services, 'db' | 'log' | 'switches'>,
  payments: Payments,
): Promise<void> {
  const { driver } = payments.offer;
  if (driver === 'manual') return;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(`/payments/${driver}`, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = String(request.headers['stripe-signature'] ?? '');
      const event = payments.readEvent({ body, signature });
      if (event !== null) {
        // The provider sends the event again, for days.
        refuseWhileReadOnly(services.switches.current());
        const outcome = await receivePaymentEvent({ db: services.db, payments }, event);
        services.log.info('payment event received', { eventId: event.id, reason: event.type, status: outcome });
        // Refused, so that the provider shows the failure and the operator looks at it.
        if (outcome === 'mismatch') throw new Problem('invalid_params', 'The payment does not match its checkout.');
      }
      return reply.code(200).header('cache-control', 'no-store').send({ received: true });
    });
  });
}
