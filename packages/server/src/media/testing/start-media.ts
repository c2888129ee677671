import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMedia, type Media } from '../create-media.ts';
import type { MediaIncident } from '../media-tools.ts';

export interface TestMedia {
  dir: string;
  media: Media;
  incidents: MediaIncident[];
  stop: () => Promise<void>;
}

/** The module as it runs in production, on a directory of its own. */
export async function startMedia(): Promise<TestMedia> {
  const dir = await mkdtemp(join(tmpdir(), 'media-test-'));
  const incidents: MediaIncident[] = [];
  await mkdir(join(dir, 'spool'));
  const media = createMedia({
    spoolDir: join(dir, 'spool'),
    sandbox: 'bwrap',
    ffmpegPath: 'ffmpeg',
    ffprobePath: 'ffprobe',
    onIncident: (incident) => incidents.push(incident),
  });
  const stop = async () => {
    await media.close();
    await rm(dir, { recursive: true, force: true });
  };
  await media.ready();
  return { dir, media, incidents, stop };
}
