import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EngineRow } from '@atelier/engines/engines.ts';
import { engineTable } from '../../providers/local/engine-table.ts';
import { findAvailableEngines } from '../../providers/local/find-available-engines.ts';
import { pullWeights, verifyWeights } from '../../providers/local/weights/pull-weights.ts';
import { hasWeightSet, readWeightSets, type WeightSet } from '../../providers/local/weights/weight-set.ts';
import type { Config } from '../config/config.ts';
import { weightsOptions } from './weights-options.ts';

const REPORT_INTERVAL_MS = 200;
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** Returns the exit code: 0, 1 if something failed, 2 for wrong usage. */
export async function runWeightsCommand(config: Config, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [verb = '', ...ids] = positionals;
  const all = readWeightSets(join(config.catalogDir, 'weights.json'));
  const unknown = ids.filter((id) => !all.some((set) => set.id === id));
  if (unknown.length > 0 || !['list', 'pull', 'verify'].includes(verb)) {
    console.error(unknown.length > 0 ? `unknown weights: ${unknown.join(', ')}` : weightsOptions.join('\n'));
    return 2;
  }
  const sets = ids.length === 0 ? all : all.filter((set) => ids.includes(set.id));
  if (verb === 'list') return list(config, { sets, all, json: values.json });
  return verb === 'pull' ? pull(config, { sets, json: values.json }) : verify(config, { sets, json: values.json });
}

function list(config: Config, options: { sets: WeightSet[]; all: WeightSet[]; json: boolean }): number {
  const rows = options.sets.map((set) => ({
    id: set.id,
    present: hasWeightSet({ weightsDir: config.weightsDir, set }),
    title: set.title,
    downloadBytes: set.tarballBytes,
    bytes: set.files.reduce((sum, file) => sum + file.bytes, 0),
    package: `${set.package}@${set.version}`,
    licence: set.licence,
    provenance: set.provenance,
    engines: Object.entries<EngineRow>(engineTable)
      .filter(([, row]) => row.weights.includes(set.id))
      .map(([name]) => name),
  }));
  const available = findAvailableEngines({ weightsDir: config.weightsDir, weightSets: options.all });
  if (options.json) console.log(JSON.stringify({ weights: rows, engines: available }));
  else {
    for (const row of rows) {
      console.log(
        `${row.present ? 'here  ' : 'absent'}  ${row.id}: ${row.title}, ${megabytes(row.bytes)} (fetches ${megabytes(row.downloadBytes)})`,
      );
      console.log(
        `        ${row.licence}; ${row.provenance}; carried by ${row.package}; for ${row.engines.join(', ') || 'no engine yet'}`,
      );
    }
    for (const { engine, missing } of available) {
      console.log(`engine ${engine}: ${missing.length === 0 ? 'ready' : `lacks ${missing.join(', ')}`}`);
    }
  }
  return 0;
}

async function pull(config: Config, { sets, json }: { sets: WeightSet[]; json: boolean }): Promise<number> {
  const results: { id: string; result: string }[] = [];
  for (const set of sets) {
    let toldAt = 0;
    const onProgress = ({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }) => {
      if (json || !process.stderr.isTTY || (Date.now() - toldAt < REPORT_INTERVAL_MS && doneBytes < totalBytes)) return;
      toldAt = Date.now();
      process.stderr.write(
        `\r${set.id}: ${megabytes(doneBytes)} of ${megabytes(totalBytes)} (${Math.round((100 * doneBytes) / totalBytes)} %)  `,
      );
    };
    const result = await pullWeights({ weightsDir: config.weightsDir, set, onProgress }).catch(
      (error: Error) => `failed: ${error.message}`,
    );
    results.push({ id: set.id, result });
    if (!json) console.log(`${process.stderr.isTTY ? '\r' : ''}${set.id}: ${result} (${set.licence})`);
  }
  if (json) console.log(JSON.stringify({ weights: results }));
  return results.some(({ result }) => result.startsWith('failed')) ? 1 : 0;
}

async function verify(config: Config, { sets, json }: { sets: WeightSet[]; json: boolean }): Promise<number> {
  const here = sets.filter((set) => hasWeightSet({ weightsDir: config.weightsDir, set }));
  const results: { id: string; wrong: string[] }[] = [];
  for (const set of here) {
    const wrong = await verifyWeights({ weightsDir: config.weightsDir, set });
    results.push({ id: set.id, wrong });
    if (!json) console.log(`${set.id}: ${wrong.length === 0 ? 'good' : wrong.join('; ')}`);
  }
  if (json) console.log(JSON.stringify({ weights: results }));
  return results.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
}
