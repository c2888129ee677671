import ts from 'typescript';
import type { TrackedFile } from './tracked-files.ts';

const SERVER_SOURCE = /^packages\/[^/]+\/src\/.*\.tsx?$/;
const TEST = /(\.test\.tsx?$|\/testing\/)/;

interface Exemption {
  readonly where: RegExp;
  readonly why: string;
}

/** Where SQL is allowed outside of a store, and why. */
const SQL_ALLOWED: readonly Exemption[] = [
  { where: /\.store\.ts$/, why: 'stores contain the SQL' },
  { where: /^packages\/server\/src\/queue\//, why: 'the queue is its own store' },
  { where: /^packages\/server\/src\/entry\/[^/]*migrat[^/]*\.ts$/, why: 'the runner keeps the list of migrations' },
];

/** A method and a path, such as `DELETE /api/...`, name an operation. */
const SQL_UPPERCASE = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s(?!\/)/;
/** A ping reads no table. */
const SQL_PING = /^SELECT 1$/;
const SQL_LOWERCASE =
  /^\s*(select\s[\s\S]+\sfrom\s|select\s+[\w.]+\(|insert\s+into\s|update\s+[\w."]+\s+(as\s+\w+\s+|\w+\s+)?set\s|delete\s+from\s|with\s+(recursive\s+)?\w+(\s*\([^)]*\))?\s+as\s)/i;

export function findStraySql(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => SERVER_SOURCE.test(path) && !TEST.test(path))
    .filter(({ path }) => !SQL_ALLOWED.some(({ where }) => where.test(path)))
    .flatMap((file) =>
      stringsOf(file)
        .filter(({ text }) => !SQL_PING.test(text))
        .filter(({ text }) => SQL_UPPERCASE.test(text) || SQL_LOWERCASE.test(text))
        .map(({ line }) => `${file.path}:${line}: SQL belongs in a store`),
    );
}

function stringsOf({ path, text }: TrackedFile): Array<{ text: string; line: number }> {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: Array<{ text: string; line: number }> = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ text: node.text, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const STATEMENT = /\bstatement\(\s*'(\w+)'/g;

/** A connection keeps a prepared statement by its name, so two statements with one name break each other. */
export function findRepeatedStatements(files: readonly TrackedFile[]): string[] {
  const names = files
    .filter(({ path }) => SERVER_SOURCE.test(path) && !TEST.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(STATEMENT)].map(([, name]) => ({ path, name })));
  return names
    .filter(({ name }, index) => names.findIndex((other) => other.name === name) !== index)
    .map(({ path, name }) => `${path}: another statement has the name ${name}`);
}

/** Rows that a departing move and the begin of an erasure must keep others from referring to. */
const STRONG_LOCKS_ALLOWED =
  /^packages\/server\/(src\/domain\/moves\/moves\.store\.ts|migrations\/functions\/(accounts|cells)\.sql)$/;
const STRONG_LOCK = /\bFROM (account|api_key)\b[^;`']*?\bFOR UPDATE\b/g;

/**
 * Inserts that refer to an account or a key lock its row FOR KEY SHARE, whatever their transaction locked before. FOR UPDATE
 * would make them wait, and two that wait for each other deadlock.
 */
export function findStrongLocks(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^packages\/server\/(src\/.*\.store\.ts|migrations\/functions\/.*\.sql)$/.test(path))
    .filter(({ path }) => !STRONG_LOCKS_ALLOWED.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(STRONG_LOCK)].map(
        ({ index, 1: table }) =>
          `${path}:${text.slice(0, index).split('\n').length}: lock the ${table} FOR NO KEY UPDATE`,
      ),
    );
}

const READS_ENVIRONMENT =
  /\bprocess\s*(\.\s*env\b|\[\s*['"]env['"])|\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"]node:process['"]/;

/** The client reads its defaults here. */
const SDK_ENVIRONMENT = 'packages/sdk/src/environment.ts';

/** Only entry/ reads the environment: everything else takes options, so that several instances can run in one process. */
export function findStrayEnvironment(files: readonly TrackedFile[]): string[] {
  return files
    .filter(
      ({ path }) => /^packages\/(server|contract|engines|sdk|ai-sdk-provider)\/src\//.test(path) && !TEST.test(path),
    )
    .filter(({ path }) => !path.startsWith('packages/server/src/entry/') && path !== SDK_ENVIRONMENT)
    .flatMap((file) => linesWith(file, READS_ENVIRONMENT, 'only entry/ reads the environment'));
}

/** Written in parts, so that the rules do not match this file. */
const MACHINE_PATHS = new RegExp(`(?<![\\w./~{}$-])/(${['work', 'root', 'home'].join('|')})/`);
const LEFTOVERS = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`);

export function findMachinePaths(files: readonly TrackedFile[]): string[] {
  return files.flatMap((file) => linesWith(file, MACHINE_PATHS, 'an absolute path of a machine'));
}

export function findLeftovers(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap((file) => linesWith(file, LEFTOVERS, 'finish it, or open an issue'));
}

/** Phrases that a new reader does not understand. Docs, messages and comments use the standard term. */
const PHRASES = [
  'just' + ' now',
  'for want' + ' of',
  'is' + ' away',
  'bef' + 'ell',
  'bef' + 'alls?',
  'met a' + ' fault',
  'speaks' + ' nonsense',
  'gives' + ' back',
  'house' + ' rules',
];
const BANNED_PHRASES = new RegExp(`\\b(${PHRASES.join('|')})\\b`, 'i');

export function findBannedPhrases(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json' && !path.startsWith('packages/contract/releases/'))
    .flatMap((file) => linesWith(file, BANNED_PHRASES, 'say it in plain English'));
}

function linesWith({ path, text }: TrackedFile, pattern: RegExp, what: string): string[] {
  if (!pattern.test(text)) return [];
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${what}`] : []));
}

const MAX_LINES = 400;
const MEASURED = /\.(ts|tsx|mts|mjs|cjs|sql|css|sh|md)$/;
const GENERATED = /\.gen\.[a-z]+$/;
const ALLOWED_LONG = /tidy-allow-long: \S+/;

export function findLongFiles(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path, text }) => MEASURED.test(path) && !GENERATED.test(path) && !ALLOWED_LONG.test(text))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines, ${MAX_LINES} at most without a stated reason`);
}
