import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateEngine, EngineRefusal } from '@atelier/engines/engine.ts';

const MEGABYTE = 1024 * 1024;
const kept: Buffer[] = [];
/** Identifies the child: inside, the process id is always the same. */
const child = randomUUID();

function tryWrite(place: string): string {
  try {
    writeFileSync(join(place, 'new.txt'), 'new');
    return 'written';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** An engine that misbehaves on request. Its output is what it saw, as JSON. */
export const createEngine: CreateEngine = async () => ({
  async run({ settings, inputs, dir, params }, report) {
    const { does } = settings;
    const seen: Record<string, unknown> = { child, params };
    if (does === 'refuse') throw new EngineRefusal('Only apples are known here.');
    if (does === 'break') throw new Error('a cog is loose');
    if (does === 'crash') process.kill(process.pid, 'SIGSEGV');
    if (does === 'hang') {
      // Two levels down: a program that a program started.
      spawn('sh', ['-c', 'sleep 987 & wait'], { stdio: 'ignore' });
      await sleep(600_000);
    }
    if (does === 'grow') {
      for (;;) {
        kept.push(Buffer.alloc(16 * MEGABYTE, 1));
        await sleep(5);
      }
    }
    if (does === 'escape') return [{ path: '/etc/passwd' }];
    if (does === 'link') {
      symlinkSync('/etc/passwd', join(dir, 'out.txt'));
      return [{ path: join(dir, 'out.txt') }];
    }
    if (does === 'replace-out') {
      renameSync(dir, `${dir}-moved`);
      symlinkSync(String(settings['target']), dir);
      return [{ path: join(dir, String(settings['name'])) }];
    }
    if (does === 'write-anywhere') {
      for (const place of ['/', '/app', '/dev', '/dev/shm', '/usr', '/weights', '/tmp']) seen[place] = tryWrite(place);
    }
    if (does === 'fill-tmp') {
      kept.push(Buffer.alloc(Number(settings['holdsMb'] ?? 0) * MEGABYTE, 1));
      let writtenMb = 0;
      try {
        for (;;) {
          await writeFile(`/tmp/filler-${writtenMb}`, Buffer.alloc(MEGABYTE, 1));
          writtenMb++;
        }
      } catch (error) {
        Object.assign(seen, { writtenMb, full: (error as NodeJS.ErrnoException).code });
      }
      await sleep(Number(settings['waitMs'] ?? 0));
    }
    if (does === 'look') {
      seen['environment'] = Object.keys(process.env).sort();
      seen['secret'] = await readFile(String(settings['secretPath']), 'utf8').catch((error: Error) => error.message);
      seen['network'] = await new Promise((resolve) => {
        try {
          connect(Number(settings['port']), '127.0.0.1')
            .on('connect', () => resolve('reached'))
            .on('error', (error) => resolve((error as NodeJS.ErrnoException).code));
        } catch (error) {
          resolve((error as NodeJS.ErrnoException).code);
        }
      });
    }
    for (let step = 1; step <= 4; step++) {
      report(step / 4);
      await sleep(Number(settings['stepMs'] ?? 1));
    }
    seen['inputs'] = Object.fromEntries(
      await Promise.all(
        Object.entries(inputs).map(async ([name, paths]) => [
          name,
          await Promise.all(paths.map((path) => readFile(path, 'utf8'))),
        ]),
      ),
    );
    await writeFile(join(dir, 'out.txt'), JSON.stringify(seen));
    return [{ path: join(dir, 'out.txt') }];
  },
});
