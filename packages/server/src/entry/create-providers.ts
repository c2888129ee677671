import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import type { CircuitState } from '../platform/flow/circuit-breaker.ts';
import type { Log } from '../platform/log.ts';
import { createCogProvider } from '../providers/cog/create-cog-provider.ts';
import { createComfyUiProvider } from '../providers/comfyui/create-comfyui-provider.ts';
import { createRouteCheck, type RouteCheck } from '../providers/create-route-check.ts';
import { createFalProvider } from '../providers/fal/create-fal-provider.ts';
import type { LocalProvider } from '../providers/local/create-local-provider.ts';
import { createNoEngines } from '../providers/local/no-engines.ts';
import type { EngineWatch } from '../providers/local/watch-engines.ts';
import { createOpenAiProvider } from '../providers/openai/create-openai-provider.ts';
import type { Provider } from '../providers/provider.ts';
import type { Backends } from '../providers/remote/backend.ts';
import { BackendsError, readBackends } from '../providers/remote/read-backends.ts';
import { watchBackends } from '../providers/remote/watch-backends.ts';
import { createSimulator } from '../providers/simulator/create-simulator.ts';
import { type Config, ConfigError } from './config/config.ts';

export interface Providers {
  /** By the name that catalog routes use. Test accounts use only the simulator. */
  readonly all: ReadonlyMap<string, Provider>;
  readonly local: LocalProvider;
  readonly engines: EngineWatch;
  /** Checks catalog routes against the backends that this process knows. */
  readonly checkRoute: RouteCheck;
  /** What this process can run for live accounts now, as route targets. */
  targets(): string[];
  /** The circuit of every backend, as this process sees it. */
  circuits(): Array<{ backend: string; state: CircuitState }>;
  close(): Promise<void>;
}

const HEALTH_INTERVAL_MS = 3_000;

/** The providers of this installation. */
export async function createProviders(config: Config, log: Log): Promise<Providers> {
  const backends = openBackends(config);
  const { local, engines } = await createEngines(config, log);
  const watch = watchBackends(backends, {
    intervalMs: HEALTH_INTERVAL_MS,
    onChange: (name, open) => log.warn(open ? 'backend circuit opened' : 'backend circuit closed', { reason: name }),
  });
  return {
    all: new Map<string, Provider>([
      ['simulator', createSimulator({ ffmpegPath: config.ffmpegPath })],
      ['local', local],
      ['openai', createOpenAiProvider({ backends })],
      ['comfyui', createComfyUiProvider({ backends, workflowDir: config.catalogDir })],
      ['cog', createCogProvider({ backends })],
      ['fal', createFalProvider({ backends })],
    ]),
    local,
    engines,
    checkRoute: createRouteCheck({ catalogDir: config.catalogDir, backends, backendsAreAll: false }),
    targets: () => [
      ...[...engines.available].map((engine) => `local/${engine}`),
      ...backends.all
        .filter(({ circuit }) => circuit.allows())
        .map(({ name, provider }) => `${provider === 'replicate' ? 'cog' : provider}/${name}`),
    ],
    circuits: () => backends.all.map(({ name, circuit }) => ({ backend: name, state: circuit.state() })),
    async close() {
      engines.close();
      await watch.close();
      await backends.close();
      await local.close();
    },
  };
}

function openBackends({ backendsFile, backendSecretOf }: Config): Backends {
  if (backendsFile === '') return readBackends('backends: []', backendSecretOf);
  try {
    return readBackends(readFileSync(backendsFile, 'utf8'), backendSecretOf);
  } catch (error) {
    if (error instanceof BackendsError) throw new ConfigError(`BACKENDS_FILE ${backendsFile}: ${error.message}`);
    throw new ConfigError(`BACKENDS_FILE: cannot read ${backendsFile} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Loaded when there are engines: a worker for remote backends alone needs neither that package nor its dependencies. */
async function createEngines(config: Config, log: Log): Promise<{ local: LocalProvider; engines: EngineWatch }> {
  if (!hasEngines()) {
    log.warn('engines unavailable: the package @atelier/engines is not installed');
    return createNoEngines();
  }
  const { createLocalProvider } = await import('../providers/local/create-local-provider.ts');
  const { watchEngines } = await import('../providers/local/watch-engines.ts');
  const engines = watchEngines({
    weightsDir: config.weightsDir,
    weightsFile: join(config.catalogDir, 'weights.json'),
    onChange: (found) => {
      const lacking = found.filter(({ missing }) => missing.length > 0);
      log.info('engines checked', {
        count: found.length - lacking.length,
        reason: lacking.map(({ engine, missing }) => `${engine} unavailable: ${missing.join(', ')}`).join('; '),
      });
    },
  });
  const local = createLocalProvider({
    confinement: config.mediaConfinement,
    spoolDir: config.spoolDir,
    weightsDir: config.weightsDir,
    available: engines.available,
    cores: config.localConcurrency,
    idleMs: config.engineIdleMs,
    // The engine's message may contain customer input: it is stored with the generation, for the operator only.
    onIncident: ({ engine, reason }) => log.warn('engine failed', { reason: `${engine}: ${reason}` }),
  });
  return { local, engines };
}

function hasEngines(): boolean {
  try {
    return findPackageJSON('@atelier/engines', import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
