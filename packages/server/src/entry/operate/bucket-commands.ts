import { stat } from 'node:fs/promises';
import {
  claimBucket,
  describeBucket,
  inspectOwnership,
  type PrefixState,
} from '../../domain/assets/bucket/bucket-ownership.ts';
import { type CopyReport, copyObjects } from '../../domain/assets/bucket/copy-objects.ts';
import { sweepFiles } from '../../domain/assets/bucket/sweep-files.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { createObjectStore, type ObjectStoreOptions } from '../../platform/object-store/create-object-store.ts';
import type { ObjectStore } from '../../platform/object-store/object-store.ts';
import { need, type OperatorCommand, type OperatorContext, UsageError } from './operator-command.ts';

/** The bucket, or the folder of the directory driver. */
function nameOf(options: ObjectStoreOptions): string {
  return options.driver === 's3' ? options.bucket : options.path;
}

async function withStore<T>(context: OperatorContext, work: (store: ObjectStore) => Promise<T>): Promise<T> {
  const store = createObjectStore(context.config.objectStore);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The bucket beside a folder in which a backup keeps the same objects. */
function withFolder(
  context: OperatorContext,
  path: string,
  work: (store: ObjectStore, folder: ObjectStore) => Promise<CopyReport>,
): Promise<CopyReport> {
  return withStore(context, async (store) => {
    const folder = createObjectStore({ driver: 'directory', path });
    try {
      return await work(store, folder);
    } finally {
      await folder.close();
    }
  });
}

/** The owner of the bucket, and what the last sweep refused. */
async function inspect(services: { db: Db; store: ObjectStore }): Promise<PrefixState[]> {
  const told = new Map((await describeBucket(services)).map((state) => [state.prefix, state.refusal]));
  const states = await inspectOwnership(services);
  return states.map(({ prefix, refusal }) => ({ prefix, refusal: refusal ?? told.get(prefix) ?? null }));
}

function render(states: readonly PrefixState[]): object[] {
  return states.map(({ prefix, refusal }) => ({
    prefix: prefix || '(no prefix)',
    deletes: refusal === null,
    reason: refusal ?? '',
  }));
}

export const bucketCommands: Readonly<Record<string, OperatorCommand>> = {
  show: {
    summary: 'lists the prefixes of this installation and whether it may delete there',
    options: {},
    run: (context) => withStore(context, async (store) => render(await inspect({ db: context.db, store }))),
  },
  claim: {
    summary: 'takes over the bucket after a restore or failover; the previous owner may no longer delete',
    options: { 'bucket!': 'name of the bucket, or path of the directory, as confirmation' },
    run(context) {
      const name = nameOf(context.config.objectStore);
      if (need(context, 'bucket') !== name) throw new UsageError(`--bucket must be ${name}, as configured`);
      return withStore(context, async (store) => render(await claimBucket({ db: context.db, store }, context.actor)));
    },
  },
  backup: {
    summary: 'copies every file of this installation into a folder; repeated, only what is new',
    options: { 'to!': 'the folder' },
    run: (context) =>
      withFolder(context, need(context, 'to'), (store, folder) =>
        copyObjects({ db: context.db, from: store, to: folder }),
      ),
  },
  restore: {
    summary: 'copies the files of a backup into the bucket of the restored database',
    options: { 'from!': 'the folder that `bucket backup` wrote' },
    async run(context) {
      const path = need(context, 'from');
      // The driver would create a folder that does not exist, and nothing would be restored.
      const found = await stat(path).catch(() => null);
      if (found?.isDirectory() !== true) throw new UsageError(`--from: ${path} is not a folder`);
      return withFolder(context, path, (store, folder) => copyObjects({ db: context.db, from: folder, to: store }));
    },
  },
  sweep: {
    summary: 'deletes expired files and orphaned files now',
    options: { orphans: '`all` deletes any number of orphaned files; by default an implausible number is kept' },
    run(context) {
      const { orphans } = context.options;
      if (orphans !== undefined && orphans !== 'all') throw new UsageError('--orphans must be all');
      const log = createLog({ level: 'silent' });
      return withStore(context, (store) =>
        sweepFiles(
          { db: context.db, store, clock: systemClock, log },
          { signal: new AbortController().signal, anyShare: orphans === 'all' },
        ),
      );
    },
  },
};
