import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['packages', 'scripts', 'test', 'bench', 'chaos', 'e2e', 'examples'];

/**
 * Checks every import under `base` against the rules in .dependency-cruiser.mjs. If the cruiser cannot read TypeScript it
 * reports success over no modules, so fewer modules than `floor` are a failure too.
 */
export async function findWrongImports(options: { base: string; floor: number }): Promise<string[]> {
  const config = await extractOptions(join(ROOT, '.dependency-cruiser.mjs'));
  const folders = FOLDERS.filter((folder) => existsSync(join(options.base, folder)));
  const { output } = await cruise(folders, { ...config, baseDir: options.base });
  const { modules, summary } = output as ICruiseResult;
  const ours = modules.filter(({ source }) => FOLDERS.includes(source.split('/')[0] ?? '')).length;
  const wrong = summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ');
    return `${rule.name}: ${from} -> ${path}`;
  });
  return ours < options.floor ? [...wrong, `only ${ours} modules were read, expected ${options.floor} or more`] : wrong;
}
