import { type OpenLoopOrder, runOpenLoop } from './open-loop.ts';

process.once('message', async (order) => {
  // Disconnecting before the message is written would lose it.
  process.send?.(await runOpenLoop(order as OpenLoopOrder), () => process.disconnect());
});
