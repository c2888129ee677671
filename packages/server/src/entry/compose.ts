import { mkdir } from 'node:fs/promises';
import { createAuthenticateKey } from '../domain/accounts/authenticate-key.ts';
import { openKeyPrefix } from '../domain/assets/bucket/bucket-ownership.ts';
import { createPricedCatalog } from '../domain/catalog/priced-catalog.ts';
import { createCatalogHolder } from '../domain/catalog/watch-catalog.ts';
import { createSettler } from '../domain/generations/run/create-settler.ts';
import { createOfferBoard } from '../domain/operator/offer-board.ts';
import { createOpenWorkReader } from '../domain/operator/read-open-work.ts';
import { createSwitchBoard } from '../domain/operator/switch-board.ts';
import type { Services } from '../domain/services.ts';
import { createMedia, type Media } from '../media/create-media.ts';
import { createDatabaseClock, describeSkew } from '../platform/clock.ts';
import { createKeyRing } from '../platform/crypto.ts';
import { checkDatabase, createDb } from '../platform/db.ts';
import { armFaults } from '../platform/fault-point.ts';
import { createLog, errorFields } from '../platform/log.ts';
import { countStoreErrors } from '../platform/object-store/count-store-errors.ts';
import { createObjectStore } from '../platform/object-store/create-object-store.ts';
import { readBuildVersion } from '../platform/read-build-version.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import { createWake } from '../queue/wake.ts';
import { type Config, ConfigError } from './config/config.ts';
import { findUnsafeSettings } from './config/find-unsafe-settings.ts';
import { openTracing } from './open-tracing.ts';
import { registerBuildInfo, registerOpenWork } from './roles/open-work-metrics.ts';
import {
  registerCatalog,
  registerDatabasePool,
  registerSpool,
  registerUnsafeSettings,
} from './roles/process-metrics.ts';
import type { Dependencies } from './roles/watch-dependencies.ts';
import { clearDeadSpools } from './spool.ts';

/** Killed processes leave customers' files behind, so these are removed without waiting for the next start. */
const TIDY_INTERVAL_MS = 15_000;

export interface Composed {
  readonly services: Services;
  readonly dependencies: Dependencies;
  /** Information for the operator about the parts that all roles share, by name. */
  details(): Record<string, string>;
  close(): Promise<void>;
}

/** Creates the services from the configuration. It never calls an operation. */
export async function compose(
  config: Config,
  role: string,
  { telemetry, dependencies }: { telemetry: Telemetry; dependencies: Dependencies },
): Promise<Composed> {
  if (config.faults !== '') armFaults(config.faults);
  const log = createLog({ level: config.logLevel }).child({ role, pid: process.pid });
  await mkdir(config.spoolDir, { recursive: true, mode: 0o700 });
  await clearDeadSpools(config.spoolDir);
  const tidy = setInterval(() => void clearDeadSpools(config.spoolDir).catch(() => {}), TIDY_INTERVAL_MS).unref();
  const db = createDb({
    url: config.databaseUrl,
    applicationName: `atelier-${role}`,
    maxConnections: config.databaseMaxConnections,
    prepare: config.databasePrepare,
    onIdleError: (error) => log.warn('idle database connection lost', errorFields(error)),
  });
  registerBuildInfo(telemetry.registry, { version: readBuildVersion(), commit: config.buildCommit, role });
  if (role !== 'cdn') registerOpenWork(telemetry.registry, createOpenWorkReader({ db }));
  registerDatabasePool(telemetry.registry, db, config.databaseMaxConnections);
  registerSpool(telemetry.registry, config.spoolDir);
  const unsafe = findUnsafeSettings(config);
  registerUnsafeSettings(telemetry.registry, unsafe);
  const store = countStoreErrors(createObjectStore(config.objectStore), (operation) =>
    telemetry.storeErrors.inc({ operation }),
  );
  const media = createMedia({
    spoolDir: config.spoolDir,
    confinement: config.mediaConfinement,
    ffmpegPath: config.ffmpegPath,
    ffprobePath: config.ffprobePath,
    onIncident: (incident) => log.warn('confined program failed', { reason: `${incident.program} ${incident.reason}` }),
  });
  if (role !== 'cdn') await requireConfinement(media, config);
  const catalog = await createCatalogHolder({
    dir: config.catalogDir,
    onReload: (reloaded) => log.info('catalog loaded', { version: reloaded.version, count: reloaded.models.size }),
    onRefused: (error) => log.error('invalid catalog; keeping the previous one', errorFields(error)),
  }).catch((error: unknown) => {
    throw new ConfigError(`CATALOG_DIR ${config.catalogDir}: ${(error as Error).message}`);
  });
  registerCatalog(telemetry.registry, catalog);
  const clock = await createDatabaseClock({ db }, { measureMs: config.clockCheckMs });
  const switches = await createSwitchBoard({ db });
  const offers = await createOfferBoard({ db });
  const tracing = await openTracing(config, { role, telemetry, log });
  dependencies.add('database', () => checkDatabase(db));
  dependencies.add('object_store', () => store.check());
  const services: Services = {
    db,
    clock,
    keys: createKeyRing(config.masterKeys),
    log,
    telemetry,
    tracing,
    store,
    keyPrefix: await openKeyPrefix({ db }, config.cell),
    media,
    wake: createWake(db),
    settler: createSettler({ db }),
    authenticateKey: createAuthenticateKey({ db }),
    catalog: createPricedCatalog({
      files: () => catalog.current(),
      prices: () => switches.current().prices,
      onRefused: (modelId) => log.error('published price does not fit the model; using the catalog file', { modelId }),
    }),
    switches,
    limits: config.limits,
    offers: () => offers.current(),
    listsEveryModel: config.listEveryModel,
    cell: config.cell,
    publicUrl: config.publicUrl,
    cdnUrl: config.cdnUrl,
    spoolDir: config.spoolDir,
  };
  return {
    services,
    dependencies,
    details: () => ({
      ...describeSkew(clock),
      ...(catalog.isRefused() ? { catalog: `invalid files; using version ${catalog.current().version}` } : {}),
      ...Object.fromEntries(unsafe.map(({ setting, reason }) => [`setting ${setting}`, reason])),
    }),
    async close() {
      clearInterval(tidy);
      dependencies.close();
      clock.close();
      switches.close();
      offers.close();
      catalog.close();
      await media.close();
      await tracing.close();
      await store.close();
      await db.pool.end();
    },
  };
}

/** A process that reads customer files does not start where they cannot be confined. */
async function requireConfinement(media: Media, config: Config): Promise<void> {
  try {
    await media.ready();
  } catch (error) {
    await media.close();
    throw new ConfigError(
      `The programs that read media do not start with MEDIA_SANDBOX=${config.mediaConfinement}: ${(error as Error).message}\n` +
        '  bwrap needs bubblewrap and user namespaces (in containers: docs/operate/containers.md); MEDIA_SANDBOX=none reads customer files unconfined.',
    );
  }
}
