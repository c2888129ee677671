import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParamValues, TaskType } from '@atelier/contract';
import type { ProducedOutput } from '../../provider.ts';
import type { Engine } from '../engine.ts';
import { type EngineName, type EngineRow, engines } from '../engines.ts';

const WEIGHTS_DIR = process.env['WEIGHTS_DIR'] ?? join(homedir(), '.cache/atelier/weights');
const loaded = new Map<string, Promise<Engine>>();

/** Whether this machine has the weights of an engine: CI pulls the small ones, the rest is tested before a release. */
export function hasWeights(name: EngineName): boolean {
  return (engines[name] as EngineRow).weights.every((id) => existsSync(join(WEIGHTS_DIR, id)));
}

/** Runs an engine in this very process, as its child would. */
export async function runEngine(
  name: EngineName,
  request: {
    taskType: TaskType;
    params?: ParamValues;
    inputs?: Record<string, string[]>;
    outputs?: number;
    settings?: Record<string, unknown>;
    dir?: string;
    onProgress?: (progress: number) => void;
  },
): Promise<readonly ProducedOutput[]> {
  const row: EngineRow = engines[name];
  if (!loaded.has(name)) {
    const { createEngine } = await row.load();
    loaded.set(name, createEngine({ weights: (id) => join(WEIGHTS_DIR, id), program: (each) => each, threads: 2 }));
  }
  const engine = await loaded.get(name)!;
  return engine.run(
    {
      taskType: request.taskType,
      params: request.params ?? {},
      inputs: request.inputs ?? {},
      outputs: request.outputs ?? 1,
      settings: request.settings ?? {},
      dir: request.dir ?? (await mkdtemp(join(tmpdir(), 'atelier-engine-'))),
    },
    request.onProgress ?? (() => {}),
  );
}
