import { dirname, resolve } from 'node:path';
import { type BackingServices, DAEMONS, DEFAULT_DIR, isDaemonRunning, loadState, stateFile } from './state.ts';

/** The default folder of commands and tests. */
export function currentDir(): string {
  const file = process.env.ATELIER_SERVICES_FILE;
  return file ? dirname(resolve(file)) : DEFAULT_DIR;
}

/** The running services of this folder, or null unless all are running. */
export function readServices(options: { dir?: string } = {}): BackingServices | null {
  const services = loadState(stateFile(options.dir ?? currentDir()));
  if (!services?.readyAt) return null;
  return DAEMONS.every((name) => isDaemonRunning(services, name)) ? services : null;
}
