import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './exit-code.ts';

const SECRET_BYTES = 32;

export interface StoredSettings {
  baseUrl?: string;
  apiKey?: string;
  /** Where `login` asks for a key. */
  consoleUrl?: string;
  /** Signs what `listen` forwards. It stays the same, so that a local receiver is configured once. */
  listenSecret?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function settingsPath(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'atelier', 'config.json');
}

export async function readSettings(env: Environment): Promise<StoredSettings> {
  const path = settingsPath(env);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as StoredSettings;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Only the user may read the file. It is replaced as a whole, so that an interrupted write leaves the old one. */
export async function writeSettings(env: Environment, settings: StoredSettings): Promise<string> {
  const path = settingsPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  try {
    await writeFile(part, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    await chmod(part, 0o600);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return path;
}

/** The secret of `listen`, created at the first use. */
export async function findListenSecret(env: Environment): Promise<string> {
  const settings = await readSettings(env);
  if (settings.listenSecret !== undefined) return settings.listenSecret;
  const listenSecret = `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  await writeSettings(env, { ...settings, listenSecret });
  return listenSecret;
}
