import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { findWrongImports } from '../scripts/check/find-wrong-imports.ts';
import {
  findDeadLinks,
  findHeadingProblems,
  findMissingPaths,
  findPageProblems,
  findUnboundOperations,
} from './tidy/document-rules.ts';
import { findBlockingMigrations } from './tidy/migration-rules.ts';
import { findBannedNames, findOddNames, findStrayIndexes } from './tidy/name-rules.ts';
import {
  findBannedPhrases,
  findLeftovers,
  findLongFiles,
  findMachinePaths,
  findRepeatedStatements,
  findStrayEnvironment,
  findStraySql,
  findStrongLocks,
} from './tidy/source-rules.ts';
import { ROOT } from './tidy/tracked-files.ts';

const PLANTED = join(ROOT, 'test/planted');

describe('direction of imports', () => {
  const check = (tree: string, floor = 1) => findWrongImports({ base: join(PLANTED, tree), floor });

  test.each([
    ['import-cycle', 'no-cycles'],
    ['route-imports-store', 'store-behind-operations'],
    ['foreign-store', 'store-is-private'],
    ['against-module-order', 'direction-domain-ledger'],
    ['platform-knows-business', 'direction-platform'],
    ['confine-knows-media', 'direction-confine'],
    ['safety-knows-business', 'direction-safety'],
    ['domain-runs-classifier', 'direction-domain-generations'],
    ['domain-knows-framework', 'domain-knows-no-entry-point'],
    ['domain-knows-traces', 'traces-behind-port'],
    ['domain-runs-queue', 'direction-domain-generations'],
    ['contract-imports-server', 'direction-contract'],
    ['engines-import-server', 'direction-engines'],
    ['provider-loads-engines', 'direction-providers'],
    ['engine-imports-engine', 'engine-folders'],
    ['sdk-imports-server', 'direction-sdk'],
    ['cli-imports-contract', 'direction-cli'],
  ])('%s is caught by %s', async (tree, rule) => {
    expect(await check(tree)).toContainEqual(expect.stringMatching(`^${rule}: `));
  });

  test('a valid tree passes, and too few modules fail', async () => {
    expect(await check('sound')).toEqual([]);
    expect(await check('sound', 6)).toEqual(['only 5 modules were read, expected 6 or more']);
  });
});

const OPERATIONS = join(ROOT, 'packages/contract/src/operations.ts');
const ROUTES = 'packages/server/src/http/routes.ts';
const END_OF_TABLE = '} as const satisfies Record<string, OperationRow>;';
const PLANTED_ROW = `
  plantedOperation: {
    method: 'GET', path: '/v1/planted', summary: 'Planted', tag: 'catalog', scope: null,
    response: EventPage, status: 200, problems: ['no_such_code'],
  },
`;

/** A program over the real sources, with one more row in the operations table. */
function compileWithPlantedRow(roots: string[]): ts.Program {
  const parsed = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, 'tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
        throw new Error(String(diagnostic.messageText));
      },
    },
  );
  const host = ts.createCompilerHost(parsed!.options);
  const readFile = host.readFile.bind(host);
  host.readFile = (path) => {
    const text = readFile(path);
    return path === OPERATIONS ? text?.replace(END_OF_TABLE, `${PLANTED_ROW}${END_OF_TABLE}`) : text;
  };
  return ts.createProgram(roots, parsed!.options, host);
}

describe('types', () => {
  const folder = join(PLANTED, 'types');
  const names = readdirSync(folder).filter((name) => name !== 'sound.ts');
  const tables = [ROUTES, 'packages/contract/src/examples.ts', 'packages/contract/src/openapi/operation-notes.ts'];
  const program = compileWithPlantedRow([
    ...[...names, 'sound.ts'].map((name) => join(folder, name)),
    ...tables.map((path) => join(ROOT, path)),
  ]);

  const errorsOf = (path: string): Array<{ line: number; message: string }> => {
    const source = program.getSourceFile(path);
    if (source === undefined) throw new Error(`${path} does not exist`);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      (diagnostic) => ({
        line: source.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line,
        message: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
      }),
    );
  };

  test.each(names)('%s fails to compile, only at the planted line', (name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    const planted = lines.flatMap((line, index) => (line.endsWith('// planted') ? [index] : []));
    expect(planted).toHaveLength(1);
    expect(errorsOf(join(folder, name)).map(({ line }) => line)).toEqual(planted);
  });

  test('the valid file compiles', () => {
    expect(errorsOf(join(folder, 'sound.ts'))).toEqual([]);
  });

  test.each(tables)('an operation without its row in %s does not compile', (path) => {
    expect(errorsOf(join(ROOT, path))).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('plantedOperation') }),
    );
  });

  test('an operation that declares an unknown problem does not compile', () => {
    expect(errorsOf(OPERATIONS)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('no_such_code') }),
    ]);
  });
});

describe('project rules', () => {
  const slash = '/';
  test.each([
    ['a meaningless file name', findBannedNames, 'packages/server/src/domain/money-utils.ts', ''],
    ['a meaningless folder name', findBannedNames, 'packages/server/src/shared/money.ts', ''],
    ['an index file', findStrayIndexes, 'packages/server/src/domain/index.ts', ''],
    ['a file name in camel case', findOddNames, 'packages/server/src/domain/grantCoins.ts', ''],
    [
      'two statements with one name',
      findRepeatedStatements,
      'packages/server/src/domain/x.store.ts',
      "const A = statement('pair', 'A');\nconst B = statement(\n  'pair',\n  'B',\n);",
    ],
    ['SQL in a route', findStraySql, 'packages/server/src/http/x.ts', "const q = 'SELECT id FROM asset';"],
    [
      'SQL in lower case',
      findStraySql,
      'packages/server/src/domain/x/y.ts',
      'const q = `\n  update account set held = 0`;',
    ],
    [
      'SQL after WITH',
      findStraySql,
      'packages/server/src/domain/x/y.ts',
      'const q = "with due as (select 1) select 2";',
    ],
    [
      'a lock of an account FOR UPDATE',
      findStrongLocks,
      'packages/server/src/domain/x/x.store.ts',
      'const q = `SELECT id FROM account\n  WHERE id = $1 FOR UPDATE`;',
    ],
    [
      'a lock of a key FOR UPDATE',
      findStrongLocks,
      'packages/server/migrations/functions/x.sql',
      'PERFORM 1 FROM api_key k WHERE k.id = p_key FOR UPDATE;',
    ],
    ['the environment', findStrayEnvironment, 'packages/server/src/platform/x.ts', 'const p = process.env.PORT;'],
    ['an absolute path', findMachinePaths, 'docs/x.md', `see ${slash}home/someone/x`],
    ['a banned phrase', findBannedPhrases, 'docs/x.md', `The model is closed just${' now'}.`],
    ['another banned phrase', findBannedPhrases, 'docs/x.md', `Gives${' back'} the lock.`],
    ['a leftover', findLeftovers, 'docs/x.md', `TO${'DO'}: more`],
    ['a long file', findLongFiles, 'packages/server/src/x.ts', 'x\n'.repeat(401)],
    ['a missing page', findPageProblems, 'docs/problems/README.md', ''],
    ['a page without a code', findPageProblems, 'docs/problems/no_such_code.md', '# no_such_code\n'],
    ['two headings', findHeadingProblems, 'docs/x.md', '# One\n\n# Two\n'],
    ['no heading', findHeadingProblems, 'README.md', 'Hello.\n'],
    ['a broken link', findDeadLinks, 'docs/x.md', '[away](nowhere.md)'],
    ['a path that is gone', findMissingPaths, 'ARCHITECTURE.md', 'See `domain/no-such-file.ts`.'],
    ['a missing handler', findUnboundOperations, 'packages/server/src/http/routes.ts', 'listModels, listEffects'],
  ] as const)('%s is caught', (_name, find, path, text) => {
    expect(find([{ path, text }]).filter((told) => told.includes(path) || find === findPageProblems)).not.toEqual([]);
  });

  const migration = 'packages/server/migrations/0999_x.sql';
  test.each([
    'CREATE INDEX a ON account (name);',
    'CREATE INDEX CONCURRENTLY a ON account (name);',
    'ALTER TABLE account ADD CONSTRAINT a CHECK (available > 0);',
    'ALTER TABLE account ADD COLUMN a text, ADD CONSTRAINT a FOREIGN KEY (b, c) REFERENCES t (b, c);',
    'ALTER TABLE account ADD CONSTRAINT a UNIQUE (name);',
    'ALTER TABLE account ADD COLUMN a text CHECK (length(a) < 9);',
    'ALTER TABLE account ADD a uuid REFERENCES asset (id);',
    'ALTER TABLE account ADD COLUMN a uuid NOT NULL DEFAULT gen_random_uuid();',
    'ALTER TABLE account ALTER COLUMN name SET NOT NULL;',
    'ALTER TABLE account ALTER COLUMN name TYPE varchar;',
    'ALTER TABLE account VALIDATE CONSTRAINT a;',
    'CREATE TABLE t (id uuid);\nUPDATE account SET name = NULL;',
    'INSERT INTO remark SELECT id FROM account;',
    'DO $$ BEGIN UPDATE account SET name = NULL; END $$;',
    '-- migrate: outside a transaction\nCREATE INDEX CONCURRENTLY a ON account (name);',
    '-- migrate: outside a transaction\nALTER TABLE account ADD COLUMN a text;',
    '-- migrate: in batches\nUPDATE account SET name = NULL;',
  ])('a migration that blocks the service is caught: %s', (text) => {
    expect(findBlockingMigrations([{ path: migration, text }])).toHaveLength(1);
  });

  test.each([
    [
      'an index of a new table',
      'CREATE TABLE t (id uuid PRIMARY KEY REFERENCES account (id));\nCREATE INDEX a ON t (id);',
    ],
    ['a plain column', "ALTER TABLE account ADD COLUMN a text NOT NULL DEFAULT 'check', ADD COLUMN b bigint;"],
    ['a constraint that is not valid yet', 'ALTER TABLE account ADD CONSTRAINT a CHECK (b IN (1, 2)) NOT VALID;'],
    [
      'rights and triggers',
      'GRANT UPDATE (a) ON account TO atelier_app;\nCREATE TRIGGER t BEFORE UPDATE ON account EXECUTE FUNCTION f();',
    ],
    ['a function', 'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE account SET name = NULL; $$;'],
    ['a batch', '-- migrate: in batches\nUPDATE t SET a = 1 WHERE id IN (SELECT id FROM t WHERE a IS NULL LIMIT 500);'],
    [
      'an index outside a transaction',
      '-- migrate: outside a transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON t (b);\nALTER TABLE t VALIDATE CONSTRAINT c;',
    ],
  ])('%s does not block the service', (_name, text) => {
    expect(findBlockingMigrations([{ path: migration, text }])).toEqual([]);
  });

  test.each([
    ['SQL in a store', findStraySql, 'packages/server/src/domain/x/x.store.ts', "const q = 'SELECT 1';"],
    [
      'the lock of a departing move',
      findStrongLocks,
      'packages/server/src/domain/moves/moves.store.ts',
      'const q = `SELECT id FROM account FOR UPDATE`;',
    ],
    ['a ping', findStraySql, 'packages/server/src/entry/x.ts', "const q = 'SELECT 1';"],
    ['a sentence', findStraySql, 'packages/server/src/http/x.ts', "const s = 'Select one of the models, with care';"],
    ['a control', findStraySql, 'packages/contract/src/x.ts', "const s = ['select', 'switch'] // from"],
    [
      'the environment in entry',
      findStrayEnvironment,
      'packages/server/src/entry/config/config.ts',
      'process.env.PORT',
    ],
    ['a long file with a reason', findLongFiles, 'x.ts', `// tidy-allow-long: one table\n${'x\n'.repeat(401)}`],
    ['a comment in a fence', findHeadingProblems, 'docs/x.md', '# One\n\n```sh\n# not a heading\n```\n'],
  ] as const)('%s passes', (_name, find, path, text) => {
    expect(find([{ path, text }])).toEqual([]);
  });
});
