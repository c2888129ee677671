import { createNextReceiver } from './next.ts';
import type { ReceiverOptions } from './receive-webhook.ts';

interface HonoContext {
  readonly req: { readonly raw: Request };
}

/** `app.post('/hook', createHonoReceiver({ ... }))`. */
export function createHonoReceiver(options: ReceiverOptions): (context: HonoContext) => Promise<Response> {
  const receive = createNextReceiver(options);
  return (context) => receive(context.req.raw);
}
