import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BackingServices, readServices, startServices, stopServices } from '../scripts/services.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    services: BackingServices;
  }
}

/** Uses the running services, or starts its own and stops them at the end. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const running = readServices();
  if (running) {
    project.provide('services', running);
    return undefined;
  }
  const dir = join(tmpdir(), `atelier-test-${randomUUID()}`);
  const services = await startServices({ dir });
  project.provide('services', services);
  return async () => {
    await stopServices({ dir });
  };
}
