import { open } from 'node:fs/promises';
import { FilePathSource, Input, type InputFormat, MP3, MP4, OGG, QTFF, WAVE, WEBM } from 'mediabunny';
import type { ProbeResult } from './probe-protocol.ts';
import { ProbeRefusal } from './probe-protocol.ts';

const FORMATS: Readonly<Record<string, InputFormat[]>> = {
  'audio/mpeg': [MP3],
  'audio/wav': [WAVE],
  'audio/mp4': [MP4, QTFF],
  'audio/ogg': [OGG],
  'video/mp4': [MP4, QTFF],
  'video/webm': [WEBM],
  'video/quicktime': [QTFF, MP4],
};

const ESSENTIAL_BOXES = new Set(['moov', 'mdat', 'moof']);

const MAX_TRACKS = 32;
const MAX_BOXES = 100_000;
const MAX_CACHE_BYTES = 8 * 1024 * 1024;

/** Counts tracks and measures the real duration from the packets; header values are not trusted. */
export async function probeContainer({ path, mimeType }: { path: string; mimeType: string }): Promise<ProbeResult> {
  const formats = FORMATS[mimeType];
  if (!formats) throw new ProbeRefusal('Unsupported container type.');
  if (formats.includes(MP4)) await requireWholeBoxes(path);

  const input = new Input({ formats, source: new FilePathSource(path, { maxCacheSize: MAX_CACHE_BYTES }) });
  try {
    const tracks = await input.getTracks();
    if (tracks.length > MAX_TRACKS) throw new ProbeRefusal(`The file has more than ${MAX_TRACKS} tracks.`);
    const videos = tracks.filter((track) => track.isVideoTrack());
    const audios = tracks.filter((track) => track.isAudioTrack());
    for (const track of audios) {
      const channels = await track.getNumberOfChannels();
      if (!(channels > 0)) throw new ProbeRefusal('An audio track has no channels.');
    }
    const shown = videos[0];
    return {
      answer: {
        readable: true,
        videoTracks: videos.length,
        audioTracks: audios.length,
        durationSeconds: tracks.length === 0 ? 0 : await input.computeDuration([...videos, ...audios]),
        ...(shown ? { width: await shown.getDisplayWidth(), height: await shown.getDisplayHeight() } : {}),
        ...((await shown?.canBeTransparent()) ? { transparent: true } : {}),
      },
      picture: Buffer.alloc(0),
    };
  } finally {
    input.dispose();
  }
}

/**
 * A truncated file may still have a valid index in front: its truncated box then extends past the end.
 * Extra bytes after the last box are harmless here; the clean copy omits them.
 */
async function requireWholeBoxes(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const header = Buffer.alloc(16);
    let at = 0;
    for (let boxes = 0; at + 8 <= size; boxes++) {
      if (boxes > MAX_BOXES) throw new ProbeRefusal('The file has too many parts.');
      const { bytesRead } = await file.read(header, 0, 16, at);
      const short = header.readUInt32BE(0);
      if (short === 0) return;
      const bytes = short === 1 && bytesRead === 16 ? Number(header.readBigUInt64BE(8)) : short;
      if (at + bytes > size && ESSENTIAL_BOXES.has(header.toString('latin1', 4, 8))) {
        throw new ProbeRefusal('The file is truncated.');
      }
      if (bytes < 8) return;
      at += bytes;
    }
  } finally {
    await file.close();
  }
}
