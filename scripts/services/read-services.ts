import { dirname, resolve } from 'node:path';
import { DAEMONS, DEFAULT_DIR, isDaemonRunning, loadState, type Services, stateFile } from './state.ts';

/** The folder a command or a test works with unless it is told another. */
export function currentDir(): string {
  const file = process.env.ATELIER_SERVICES_FILE;
  return file ? dirname(resolve(file)) : DEFAULT_DIR;
}

/** What runs in this folder, or null when not all of it runs. */
export function readServices(options: { dir?: string } = {}): Services | null {
  const services = loadState(stateFile(options.dir ?? currentDir()));
  if (!services?.readyAt) return null;
  return DAEMONS.every((name) => isDaemonRunning(services, name)) ? services : null;
}
