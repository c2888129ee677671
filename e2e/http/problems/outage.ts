import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OperationId, operations } from '@atelier/contract';
import { startPostgres, startServices, stopPostgres, stopServices } from '../../../scripts/services.ts';
import { type Answer, until } from '../../harness/client.ts';
import { ask, createWorld } from './world.ts';

/** Responses of every authenticated operation while PostgreSQL is stopped, and after it has restarted. */
export interface Outage {
  readonly answers: ReadonlyMap<OperationId, Answer>;
  readonly recovered: Answer;
}

/**
 * On services of its own. The key is in the cache when the database goes, so that each request is admitted and
 * fails where it needs the database itself.
 */
export async function provokeOutage(): Promise<Outage> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-outage-'));
  const services = await startServices({ dir });
  try {
    const world = await createWorld(services);
    try {
      const ids = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].scope !== null);
      await ask(world, 'getAccount');
      await stopPostgres({ dir, mode: 'immediate' });
      const answers = new Map(await Promise.all(ids.map(async (id) => [id, await ask(world, id)] as const)));
      await startPostgres({ dir });
      const recovered = await until('the service has reconnected to its database', async () => {
        const answer = await ask(world, 'getAccount');
        return answer.status === 200 && answer;
      });
      await world.stack.assertBooks();
      return { answers, recovered };
    } finally {
      await world.stop();
    }
  } finally {
    await stopServices({ dir });
    await rm(dir, { recursive: true, force: true });
  }
}
