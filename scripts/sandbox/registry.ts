import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '@atelier/server/platform/spool.ts';
import { lockDir } from '../services/lock-dir.ts';
import { currentDir } from '../services/read-services.ts';
import { REPOSITORY_ROOT } from '../services/state.ts';
import type { Operator } from './operator-actions.ts';
import type { Fixture } from './seed-sandbox.ts';

/** The record of a sandbox, for tests, operator commands and other sandboxes of this clone. */
export interface SandboxRecord extends Partial<Fixture> {
  readonly pid: number;
  readonly port: number;
  readonly baseUrl: string;
  readonly keep: boolean;
  /** The folder of its services. */
  readonly servicesDir: string;
  /** How black-box tests operate it. */
  readonly operator?: Operator;
  readonly databaseUrl?: string;
  /** The environment of operator commands; absent until the sandbox is ready. */
  readonly env?: Readonly<Record<string, string>>;
}

const DIR = join(REPOSITORY_ROOT, '.sandbox');
/** The record of the first sandbox: the default location. */
export const FIXTURE_FILE = join(REPOSITORY_ROOT, '.sandbox.json');
/** Exists if a sandbox started the services: the last sandbox then stops them. */
const startedFile = () => join(currentDir(), 'started-by-sandbox');
const PRIVATE = 0o600;

export const recordFile = (port: number) => join(DIR, `${port}.json`);
export const envFile = (port: number) => join(DIR, `${port}.env`);

/** Only one sandbox of this clone starts or stops at a time. */
export async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  mkdirSync(DIR, { recursive: true });
  const unlock = await lockDir(DIR);
  try {
    return await work();
  } finally {
    unlock();
  }
}

/** Writes the record. Does not overwrite the fixture of a running sandbox. */
export function writeRecord(record: SandboxRecord): { fixture: string } {
  mkdirSync(DIR, { recursive: true });
  save(recordFile(record.port), JSON.stringify(record, null, 2));
  if (record.env === undefined) return { fixture: recordFile(record.port) };
  const lines = Object.entries(record.env).map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'`);
  save(envFile(record.port), `${lines.join('\n')}\n`);
  const first = readRecord(FIXTURE_FILE);
  if (first !== null && first.pid !== record.pid && isProcessAlive(first.pid))
    return { fixture: recordFile(record.port) };
  save(FIXTURE_FILE, JSON.stringify(record, null, 2));
  return { fixture: FIXTURE_FILE };
}

export function removeRecord({ pid, port }: { pid: number; port: number }): void {
  if (readRecord(recordFile(port))?.pid === pid) {
    rmSync(recordFile(port), { force: true });
    rmSync(envFile(port), { force: true });
  }
  if (readRecord(FIXTURE_FILE)?.pid === pid) rmSync(FIXTURE_FILE, { force: true });
}

/** The running sandboxes of this clone on the same services, ready or not. */
export function findRunning(): SandboxRecord[] {
  return readdirSync(DIR)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => readRecord(join(DIR, name)) ?? [])
    .filter(({ pid, servicesDir }) => servicesDir === currentDir() && isProcessAlive(pid));
}

export function noteStartedServices(): void {
  mkdirSync(currentDir(), { recursive: true });
  save(startedFile(), '');
}

/** Returns whether a sandbox started the services. */
export function forgetStartedServices(): boolean {
  try {
    rmSync(startedFile());
    return true;
  } catch {
    return false;
  }
}

export function readRecord<T = SandboxRecord>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** Replaces the file atomically, so that readers never see a partial one. */
export function save(file: string, text: string): void {
  writeFileSync(`${file}.${process.pid}`, text, { mode: PRIVATE });
  renameSync(`${file}.${process.pid}`, file);
}
