import { type OpenLoopOrder, runOpenLoop } from './open-loop.ts';

process.once('message', async (order) => {
  process.send?.(await runOpenLoop(order as OpenLoopOrder));
  process.disconnect();
});
