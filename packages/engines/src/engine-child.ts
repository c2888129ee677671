import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CreateEngine, type Engine, EngineRefusal } from './engine.ts';
import { type Ask, createLineReader, encodeLine, type Tell } from './engine-protocol.ts';

/** The program of an engine's child process: `engine-child.ts <engine's module> <folder of weights> <threads>`. One request at a time. */
const [module = '', weightsDir = '', threads = '1'] = process.argv.slice(2);

const tell = (message: Tell) => void process.stdout.write(encodeLine(message));
// Output of libraries goes to the log, not into the protocol.
console.log = console.info = console.debug = console.error;

async function serve(engine: Engine, { request }: Ask): Promise<void> {
  try {
    await mkdir(request.dir, { recursive: true });
    const outputs = await engine.run(request, (progress) => tell({ kind: 'progress', progress }));
    tell({ kind: 'done', outputs });
  } catch (error) {
    if (error instanceof EngineRefusal) tell({ kind: 'refused', code: error.code, message: error.message });
    else tell({ kind: 'broken', message: String((error as Error)?.stack ?? error) });
  }
}

const { createEngine } = (await import(pathToFileURL(module).href)) as { createEngine: CreateEngine };
const engine = await createEngine({
  weights: (id) => join(weightsDir, id),
  program: (name) => name,
  threads: Number(threads),
});
process.stdin.on(
  'data',
  createLineReader<Ask>((ask) => void serve(engine, ask)),
);
// The host is gone.
process.stdin.on('end', () => process.exit(0));
tell({ kind: 'ready' });
