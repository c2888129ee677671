import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountMedia, createMedia, type Media } from '../create-media.ts';
import type { MediaIncident } from '../media-tools.ts';

export interface TestMedia {
  dir: string;
  media: AccountMedia;
  /** For any account. */
  whole: Media;
  incidents: MediaIncident[];
  stop: () => Promise<void>;
}

/** The module as it runs in production, with its own directory. */
export async function startMedia(): Promise<TestMedia> {
  const dir = await mkdtemp(join(tmpdir(), 'media-test-'));
  const incidents: MediaIncident[] = [];
  await mkdir(join(dir, 'spool'));
  const whole = createMedia({
    spoolDir: join(dir, 'spool'),
    confinement: 'bwrap',
    ffmpegPath: 'ffmpeg',
    ffprobePath: 'ffprobe',
    onIncident: (incident) => incidents.push(incident),
  });
  const stop = async () => {
    await whole.close();
    await rm(dir, { recursive: true, force: true });
  };
  await whole.ready();
  return { dir, media: whole.of('test'), whole, incidents, stop };
}
