import { accessSync, constants } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import type { EngineRow } from '@atelier/engines/engines.ts';
import { engineTable } from './engine-table.ts';
import { hasWeightSet, type WeightSet } from './weights/weight-set.ts';

/** The directories in which a confined child looks for programs. */
const PROGRAM_DIRS = ['/usr/bin', '/bin'];
/** Found packages are cached: the lookup is slow, and nothing is uninstalled while a process runs. */
const foundPackages = new Set<string>();

export interface EngineAvailability {
  readonly engine: string;
  /** What is missing, as a message for the operator; empty when the engine can run. */
  readonly missing: readonly string[];
}

/** Which engines this machine can run, and what the others lack. */
export function findAvailableEngines(options: {
  weightsDir: string;
  weightSets: readonly WeightSet[];
}): EngineAvailability[] {
  const sets = new Map(options.weightSets.map((set) => [set.id, set]));
  return Object.entries<EngineRow>(engineTable).map(([engine, row]) => ({
    engine,
    missing: [
      ...row.weights
        .filter((id) => !sets.has(id) || !hasWeightSet({ weightsDir: options.weightsDir, set: sets.get(id)! }))
        .map((id) => `weights ${id}`),
      ...row.programs.filter((name) => !hasProgram(name)).map((name) => `program ${name}`),
      ...row.packages.filter((name) => !hasPackage(name, row.module)).map((name) => `package ${name}`),
    ],
  }));
}

function hasProgram(name: string): boolean {
  return PROGRAM_DIRS.some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function hasPackage(name: string, from: URL): boolean {
  if (foundPackages.has(name)) return true;
  try {
    if (findPackageJSON(name, from) === undefined) return false;
    foundPackages.add(name);
    return true;
  } catch {
    return false;
  }
}
