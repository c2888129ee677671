import { createNextReceiver } from '@atelier/sdk/webhooks';
import { recordOnce } from './record-once.ts';

export const POST = createNextReceiver({
  // Read for each request, because a build has no secrets.
  get secret() {
    const secret = process.env.ATELIER_WEBHOOK_SECRET;
    if (secret === undefined) throw new Error('ATELIER_WEBHOOK_SECRET is not set');
    return secret;
  },
  async onEvent(event) {
    // Only endpoints that subscribe to budgets get this one.
    if (event.type === 'budget.reached') return;
    const { id, status, outputs } = event.data.generation;
    const record = { generationId: id, status, files: outputs.map((output) => output.id) };
    const isNew = await recordOnce(process.env.RECORDS_DIR ?? 'records', event.id, record);
    console.log(isNew ? `generation ${id}: ${status}` : `event ${event.id} was handled before`);
  },
  // The response is 500, and the service sends the event again.
  onError: (error) => console.error(error),
});
