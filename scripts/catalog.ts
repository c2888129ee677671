/** Checks and shows the catalog files without a running service. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ParamDescriptor, ParamValue, ParamValues } from '@atelier/contract';
import type { Catalog, CatalogModel, RouteCheck } from '@atelier/server/domain/catalog/catalog.ts';
import { CatalogError } from '@atelier/server/domain/catalog/catalog-error.ts';
import { checkInputs, type InputFacts } from '@atelier/server/domain/catalog/check-inputs.ts';
import { checkParams } from '@atelier/server/domain/catalog/check-params.ts';
import { loadCatalog } from '@atelier/server/domain/catalog/load-catalog.ts';
import { priceRequest } from '@atelier/server/domain/catalog/price-request.ts';
import { Problem } from '@atelier/server/platform/problem.ts';

const HELP = `Usage: npm run catalog -- <check|show|price> [options]

  check                  validate all files and routes; print each error as file:line: reason
  show [ID]              list models and effects, or show one in detail
  price MODEL            price a request, line by line

  --dir DIR              catalog folder (default: catalog)
  --json                 print JSON
  --help                 show this text

Options of check:
  --backends FILE        also check that the backends of routes exist (docs/operate/backends.md)

Options of price:
  --params JSON          params of the request (default: {})
  --media NAME=FACTS     simulate an upload: 1920x1080, 6s, 1280x720,6s or 1024x768,3000000b; repeat for a list
  --effect ID            run an effect of the model
  --draft                price an incomplete request

Exit status: 0 success, 1 invalid catalog or request, 2 wrong usage.

Example: npm run catalog -- price clip-upscale --media video=1280x720,6s
`;

class UsageError extends Error {}

const USAGE_STATUS = 2;

const { values, positionals } = readArgs();

function readArgs() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        dir: { type: 'string', default: resolve(import.meta.dirname, '../catalog') },
        json: { type: 'boolean', default: false },
        backends: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
        params: { type: 'string', default: '{}' },
        media: { type: 'string', multiple: true, default: [] },
        effect: { type: 'string' },
        draft: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`catalog: ${(error as Error).message}\n`);
    process.exit(USAGE_STATUS);
  }
}

function print(data: unknown, lines: readonly string[]): void {
  process.stdout.write(values.json ? `${JSON.stringify(data, null, 2)}\n` : `${lines.join('\n')}\n`);
}

function check(catalog: Catalog): void {
  const { version, models, effects } = catalog;
  print({ ok: true, version, models: models.size, effects: effects.size, faults: [] }, [
    `ok: ${models.size} models, ${effects.size} effects, pricebook ${version}`,
  ]);
}

function show(catalog: Catalog, id: string | undefined): void {
  const { version } = catalog;
  if (id === undefined) {
    const [models, effects] = [[...catalog.models.values()], [...catalog.effects.values()]];
    print({ version, models, effects }, [
      ...table([['MODEL', 'TASK', 'FROM', 'ROUTES', ''], ...models.map(rowOf)]),
      '',
      ...table([
        ['EFFECT', 'MODEL', 'INPUT', 'SURCHARGE'],
        ...effects.map(({ entry: { id, modelId, input }, surchargeCoins }) => [
          id,
          modelId,
          input.type === 'images' ? `${input.min}-${input.max} images` : 'video',
          String(surchargeCoins),
        ]),
      ]),
    ]);
    return;
  }
  const model = catalog.models.get(id);
  const found = model ?? catalog.effects.get(id);
  if (found === undefined) throw new UsageError(`no such model or effect: ${id}`);
  print(found, model === undefined ? [JSON.stringify(found, null, 2)] : describeModel(model));
}

function rowOf({ entry, routes, closed }: CatalogModel): string[] {
  const marks = [entry.consent ? 'consent' : '', closed ? 'closed' : '', entry.deprecation ? 'deprecated' : ''];
  const providers = routes.map(({ provider }) => provider).join(',') || '-';
  return [entry.id, entry.taskType, String(entry.priceFromCoins ?? '-'), providers, marks.filter(Boolean).join(' ')];
}

function describeModel(model: CatalogModel): string[] {
  const { entry, price, deadlineSeconds } = model;
  const params = entry.params.map((each) => [
    `  ${each.name}`,
    each.required ? 'required' : `default ${JSON.stringify(entry.defaults[each.name] ?? null)}`,
    describeBounds(each),
  ]);
  return [
    `${entry.displayName} (${entry.id}) of ${entry.vendor}: ${entry.taskType}, deadline ${deadlineSeconds} s`,
    ...table(params),
    `  limits ${JSON.stringify(entry.inputLimits ?? {})}`,
    `  price  ${JSON.stringify(price)}`,
  ];
}

function describeBounds(descriptor: ParamDescriptor): string {
  const { name: _name, required: _required, ui: _ui, kind, ...bounds } = descriptor;
  return `${kind} ${JSON.stringify(bounds)}`;
}

function price(catalog: Catalog, modelId: string | undefined): void {
  const model = catalog.models.get(modelId ?? '');
  if (model === undefined) throw new UsageError(modelId === undefined ? 'missing model' : `no such model: ${modelId}`);
  const effect = values.effect === undefined ? null : catalog.effects.get(values.effect);
  if (effect === undefined) throw new UsageError(`no such effect: ${values.effect}`);
  const { draft } = values;
  const given: Record<string, ParamValue> = { ...readParams(values.params) };
  const found = new Map<string, InputFacts>();
  for (const text of values.media) {
    const { name, facts } = readMedia(text, model);
    found.set(facts.id, facts);
    const isList = name === 'images';
    given[name] = isList ? [...((given[name] as string[] | undefined) ?? []), facts.id] : facts.id;
  }
  const { effective, media } = checkParams({ model, effect, params: given, draft });
  checkInputs({ model, media, found, draft });
  const priced = priceRequest({ model, effect, params: effective, found });
  print({ modelId: model.entry.id, pricebook: catalog.version, ...priced }, [
    ...table(priced.lines.map(({ label, coins }) => [`  ${label}`, String(coins)])),
    `${priced.coins} coins = ${priced.coinsPerOutput} x ${priced.outputs}`,
  ]);
}

function readParams(text: string): ParamValues {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  } catch {
    // Reported below, like any other value that is not an object.
  }
  throw new UsageError('--params must be a JSON object');
}

function readMedia(text: string, model: CatalogModel): { name: string; facts: InputFacts } {
  const [name = '', facts = ''] = text.split('=', 2);
  const size = /(?:^|,)(\d+)x(\d+)(?=,|$)/.exec(facts);
  const seconds = /(?:^|,)([\d.]+)s(?=,|$)/.exec(facts);
  const bytes = /(?:^|,)(\d+)b(?=,|$)/.exec(facts);
  if (name === '' || (size ?? seconds ?? bytes) === null)
    throw new UsageError(`invalid --media ${text}: expected NAME=FACTS`);
  const descriptor = model.entry.params.find((each) => each.name === name);
  const isMedia = descriptor?.kind === 'media' || descriptor?.kind === 'media_list';
  return {
    name,
    facts: {
      id: randomUUID(),
      kind: isMedia ? descriptor.accept : 'image',
      bytes: Number(bytes?.[1] ?? 1),
      width: size === null ? null : Number(size[1]),
      height: size === null ? null : Number(size[2]),
      durationSeconds: seconds === null ? null : Number(seconds[1]),
    },
  };
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

async function readRouteCheck(): Promise<RouteCheck> {
  // Loaded only here: the other commands need no provider.
  const { createRouteCheck } = await import('@atelier/server/providers/create-route-check.ts');
  if (values.backends === undefined) return createRouteCheck({ catalogDir: values.dir });
  let text: string;
  try {
    text = readFileSync(values.backends, 'utf8');
  } catch {
    throw new UsageError(`cannot read ${values.backends}`);
  }
  const { BackendsError, readBackends } = await import('@atelier/server/providers/remote/read-backends.ts');
  try {
    // No request is sent, so any value works as the secret.
    return createRouteCheck({ catalogDir: values.dir, backends: readBackends(text, () => 'secret') });
  } catch (error) {
    throw error instanceof BackendsError ? new UsageError(error.message) : error;
  }
}

async function main(): Promise<number> {
  const [command, id, ...rest] = positionals;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const commands = { check, show, price };
  if (rest.length > 0 || command === undefined || !Object.hasOwn(commands, command)) {
    process.stderr.write(HELP);
    return USAGE_STATUS;
  }
  try {
    const checkRoute = command === 'check' ? await readRouteCheck() : undefined;
    commands[command as keyof typeof commands](await loadCatalog(values.dir, checkRoute && { checkRoute }), id);
    return 0;
  } catch (error) {
    if (error instanceof CatalogError) print({ ok: false, faults: error.errors }, [error.message]);
    else if (error instanceof Problem) {
      const issues = error.issues ?? [];
      print({ code: error.code, detail: error.message, issues }, [
        `${error.code}: ${error.message}`,
        ...issues.map(({ path, message }) => `  ${path} ${message}`),
      ]);
    } else if (error instanceof UsageError) {
      process.stderr.write(`catalog: ${error.message}\n`);
      return USAGE_STATUS;
    } else throw error;
    return 1;
  }
}

process.exitCode = await main();
