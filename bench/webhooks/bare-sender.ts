import { createHmac } from 'node:crypto';
import { Pool } from 'undici';

/** The minimum work to send a webhook: sign the bytes, post them, discard the response. Records nothing. */
export interface BareOrder {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly bodies: readonly string[];
  readonly secret: string;
  readonly requests: number;
  readonly concurrency: number;
}

async function send(order: BareOrder): Promise<number> {
  const bodies = order.bodies.map((body) => ({ bytes: Buffer.from(body), id: JSON.parse(body).id as string }));
  const pool = new Pool(order.origin, { connections: order.concurrency, pipelining: 1 });
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: order.concurrency }, async () => {
      for (let n = next++; n < order.requests; n = next++) {
        const body = bodies[n % bodies.length] as (typeof bodies)[number];
        const t = Math.floor(Date.now() / 1000);
        const v1 = createHmac('sha256', order.secret).update(`${t}.`).update(body.bytes).digest('hex');
        const answer = await pool.request({
          method: 'POST',
          path: order.paths[n % order.paths.length] as string,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'Atelier-Webhooks/1',
            'Service-Signature': `t=${t},v1=${v1}`,
            'Service-Event-Id': body.id,
            'Service-Event-Type': 'generation.succeeded',
          },
          body: body.bytes,
        });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  await pool.close();
  return order.requests / seconds;
}

process.once('message', async (order: BareOrder) => {
  // First a warm-up, then the measured run.
  await send({ ...order, requests: Math.ceil(order.requests / 4) });
  process.send?.({ rate: await send(order) }, () => process.disconnect());
});
