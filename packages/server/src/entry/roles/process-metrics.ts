import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db.ts';
import type { UnsafeSetting } from '../config/find-unsafe-settings.ts';

/** The database connections of this process. While some requests wait, all connections are in use. */
export function registerDatabasePool(registry: Registry, { pool }: Db, maxConnections: number): void {
  const registers = [registry];
  new Gauge({
    name: 'atelier_database_connections',
    help: 'Database connections of this process, by state: used or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'atelier_database_connections_limit',
    help: 'The most database connections that this process may open.',
    registers,
  }).set(maxConnections);
  new Gauge({
    name: 'atelier_database_waiting',
    help: 'Statements of this process that wait for a database connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}

/** The disk of the temporary files, read at each scrape. */
export function registerSpool(registry: Registry, spoolDir: string): void {
  const read = async () => {
    // The folder of the process may not exist yet.
    const { bavail, blocks, bsize } = await statfs(dirname(spoolDir));
    return { free: bavail * bsize, size: blocks * bsize };
  };
  for (const [part, name, help] of [
    ['free', 'atelier_spool_free_bytes', 'Free space on the disk of the temporary files.'],
    ['size', 'atelier_spool_size_bytes', 'Size of the disk of the temporary files.'],
  ] as const) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const disk = await read().catch(() => null);
        // Without labels a gauge falls back to 0, which would look like a measurement.
        if (disk === null) this.remove();
        else this.set(disk[part]);
      },
    });
  }
}

/** One series for each setting that turns a protection off; none in a safe installation. */
export function registerUnsafeSettings(registry: Registry, unsafe: readonly UnsafeSetting[]): void {
  const gauge = new Gauge({
    name: 'atelier_unsafe_setting',
    help: 'Settings of this process that turn a protection off: 1 for each.',
    labelNames: ['setting'],
    registers: [registry],
  });
  for (const { setting } of unsafe) gauge.set({ setting }, 1);
}

/** The catalog of this process: its version, and whether newer files were refused. */
export function registerCatalog(
  registry: Registry,
  catalog: { current(): { readonly version: string }; isRefused(): boolean },
): void {
  const registers = [registry];
  new Gauge({
    name: 'atelier_catalog_refused',
    help: '1 while the catalog files are invalid and this process keeps the catalog that it read before.',
    registers,
    collect() {
      this.set(catalog.isRefused() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'atelier_catalog_info',
    help: 'Version of the catalog that this process uses.',
    labelNames: ['version'],
    registers,
    collect() {
      this.reset();
      this.set({ version: catalog.current().version }, 1);
    },
  });
}
