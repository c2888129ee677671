import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../scripts/services/find-program.ts';
import { pickFreePort } from '../../scripts/services/pick-free-port.ts';
import { until } from './client.ts';

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A host with its port, which is also the instance unless that has a name: a process may get another port at each start. */
export type ScrapeTarget = string | { readonly host: string; readonly instance: string };

export interface Prometheus {
  /** Runs a query; throws if Prometheus refuses it. */
  query(expr: string): Promise<readonly Series[]>;
  /** The names of the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>;
  /** Replaces what is scraped, as service discovery does. */
  scrape(targets: readonly ScrapeTarget[]): Promise<void>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

/** A Prometheus of its own that scrapes and evaluates the rules every second. */
export async function startPrometheus(rules: string): Promise<Prometheus> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-prometheus-'));
  const port = await pickFreePort();
  const targetsFile = join(dir, 'targets.json');
  const scrape = (targets: readonly ScrapeTarget[]) =>
    writeFile(
      targetsFile,
      JSON.stringify(
        targets.map((target) =>
          typeof target === 'string'
            ? { targets: [target] }
            : { targets: [target.host], labels: { instance: target.instance } },
        ),
      ),
    );
  await scrape([]);
  await writeFile(join(dir, 'rules.yaml'), rules);
  await writeFile(
    join(dir, 'prometheus.yaml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yaml]
scrape_configs:
  - job_name: atelier
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`,
  );
  const program = findProgram({ program: 'prometheus', debianPackage: 'prometheus' });
  const child = spawn(
    program,
    [
      `--config.file=${join(dir, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = `${log}${chunk}`.slice(-10_000);
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await gone;
    await rm(dir, { recursive: true, force: true });
  };
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}${path}`);
    const body = (await answer.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(body.error);
    return body.data;
  };
  try {
    await until(
      'Prometheus is ready',
      async () => {
        if (child.exitCode !== null) throw new Error(`Prometheus exited:\n${log}`);
        return (await fetch(`${url}/-/ready`).catch(() => null))?.ok;
      },
      START_TIMEOUT_MS,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    query: async (expr) => (await read<{ result: Series[] }>(`/api/v1/query?query=${encodeURIComponent(expr)}`)).result,
    async firing() {
      const { alerts } = await read<{ alerts: Array<{ state: string; labels: Record<string, string> }> }>(
        '/api/v1/alerts',
      );
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname as string));
    },
    scrape,
    stop,
  };
}
