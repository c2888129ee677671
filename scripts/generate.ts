import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles } from './generate/generated-files.ts';

const HELP = `Writes all files that are generated from the tables.

Usage: npm run generate [-- --check]

  --check   write nothing; exit with status 1 if a file is out of date
  --help    show this text

Files:
${generatedFiles.map(({ path }) => `  ${path}`).join('\n')}
`;

const ROOT = resolve(import.meta.dirname, '..');

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (values.help) {
  process.stdout.write(HELP);
} else {
  let stale = 0;
  for (const { path, render } of generatedFiles) {
    const text = await render();
    const target = join(ROOT, path);
    if ((await readIfThere(target)) === text) {
      console.log(`unchanged  ${path}`);
      continue;
    }
    stale += 1;
    console.log(`${values.check ? 'stale    ' : 'written  '}  ${path}`);
    if (values.check) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  if (values.check && stale > 0) {
    console.error(`${stale} generated file(s) out of date. Run: npm run generate`);
    process.exitCode = 1;
  }
}
