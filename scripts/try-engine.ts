import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ParamValues, TaskType } from '@atelier/contract';
import { type EngineName, engines } from '@atelier/engines/engines.ts';
import { runEngine } from '@atelier/engines/testing/run-engine.ts';

const HELP = `usage: node scripts/try-engine.ts <engine> --task <type> [--param name=value]... [--input param=path]... [--setting name=value]... [--out folder] [--json]

Runs one engine in this process, without the service, and writes the outputs to the folder.
Engines: ${Object.keys(engines).join(', ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    task: { type: 'string' },
    param: { type: 'string', multiple: true, default: [] },
    input: { type: 'string', multiple: true, default: [] },
    setting: { type: 'string', multiple: true, default: [] },
    out: { type: 'string', default: 'try-engine' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [name] = positionals;
if (values.help || name === undefined || !(name in engines) || values.task === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const pairs = (list: readonly string[]) =>
  list.map((each) => [each.split('=', 1)[0]!, each.slice(each.indexOf('=') + 1)] as const);
const plain = (text: string) =>
  text === 'true'
    ? true
    : text === 'false'
      ? false
      : text !== '' && Number.isFinite(Number(text))
        ? Number(text)
        : text;
const inputs: Record<string, string[]> = {};
for (const [param, path] of pairs(values.input)) inputs[param] = [...(inputs[param] ?? []), resolve(path)];

const dir = resolve(values.out);
mkdirSync(dir, { recursive: true });
const startedAt = performance.now();
const outputs = await runEngine(name as EngineName, {
  taskType: values.task as TaskType,
  params: Object.fromEntries(pairs(values.param).map(([key, value]) => [key, plain(value)])) as ParamValues,
  settings: Object.fromEntries(pairs(values.setting).map(([key, value]) => [key, plain(value)])),
  inputs,
  dir,
  onProgress: (progress) => values.json || process.stderr.write(`\r${Math.round(progress * 100)} %  `),
});
const seconds = Math.round(performance.now() - startedAt) / 1000;
console.log(
  values.json ? JSON.stringify({ seconds, outputs }) : `\n${seconds} s\n${outputs.map(({ path }) => path).join('\n')}`,
);
process.exit(0);
