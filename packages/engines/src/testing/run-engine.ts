import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParamValues, TaskType } from '@atelier/contract';
import type { CreateEngine, Engine, EngineOutput } from '../engine.ts';
import { type EngineName, type EngineRow, engines } from '../engines.ts';

const WEIGHTS_DIR = process.env['WEIGHTS_DIR'] ?? join(homedir(), '.cache/atelier/weights');
const loaded = new Map<string, Promise<Engine>>();

const rowOf = (engine: EngineName | EngineRow): EngineRow => (typeof engine === 'string' ? engines[engine] : engine);

/** Whether the weights of an engine are installed: CI downloads the small ones, the rest is tested before a release. */
export function hasWeights(engine: EngineName | EngineRow): boolean {
  return rowOf(engine).weights.every((id) => existsSync(join(WEIGHTS_DIR, id)));
}

/** Runs an engine in this process, as its child would. */
export async function runEngine(
  engine: EngineName | EngineRow,
  request: {
    taskType: TaskType;
    params?: ParamValues;
    inputs?: Record<string, string[]>;
    outputs?: number;
    settings?: Record<string, unknown>;
    dir?: string;
    onProgress?: (progress: number) => void;
  },
): Promise<readonly EngineOutput[]> {
  const { href } = rowOf(engine).module;
  if (!loaded.has(href)) {
    const { createEngine } = (await import(href)) as { createEngine: CreateEngine };
    loaded.set(href, createEngine({ weights: (id) => join(WEIGHTS_DIR, id), program: (each) => each, threads: 2 }));
  }
  return (await loaded.get(href)!).run(
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
