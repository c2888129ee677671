import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runEngine } from '../testing/run-engine.ts';

describe('sfx-lab: audio.sfx', () => {
  it('writes a file of the requested length', async () => {
    const startedAt = performance.now();
    const [output] = await runEngine('sfx-lab', {
      taskType: 'audio.sfx',
      params: { prompt: 'rain and thunder', duration: 10, seed: 2 },
    });
    console.info(`sfx-lab: 10 s of two sounds in ${Math.round(performance.now() - startedAt)} ms`);
    const file = await readFile(output!.path);
    expect(file.toString('latin1', 0, 4)).toBe('RIFF');
    expect(file.readUInt32LE(40) / file.readUInt32LE(28)).toBe(10);
  });

  it('a high sound has more high frequencies than a low one', async () => {
    const crossings = async (prompt: string) => {
      const [output] = await runEngine('sfx-lab', { taskType: 'audio.sfx', params: { prompt, duration: 2, seed: 2 } });
      const file = await readFile(output!.path);
      let count = 0;
      for (let at = 48; at < file.length; at += 4)
        if (file.readInt16LE(at) >= 0 !== file.readInt16LE(at - 4) >= 0) count += 1;
      return count / 2 / 2;
    };
    const [heart, crickets] = [await crossings('heartbeat'), await crossings('crickets')];
    console.info(`sfx-lab: heartbeat about ${Math.round(heart)} Hz, crickets about ${Math.round(crickets)} Hz`);
    expect(heart).toBeLessThan(120);
    expect(crickets).toBeGreaterThan(2_500);
  });
});
