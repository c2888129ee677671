// Small media files. PNG and WAV are made in memory, to any size; the other formats are real encoder output kept under fixtures/.
import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
};

/** A valid 8-bit RGB PNG. `store: true` keeps the pixels uncompressed, so that the file is about width x height x 3 bytes. */
export function png({ width = 3, height = 2, store = false, shade = 128 } = {}) {
  const row = 1 + width * 3;
  const pixels = Buffer.alloc(row * height, shade);
  for (let y = 0; y < height; y += 1) pixels[y * row] = 0;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(pixels, { level: store ? 0 : 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A valid 8-bit mono PCM WAV with a quiet square wave. */
export function wav({ seconds = 0.5, rate = 8000 } = {}) {
  const samples = Math.round(seconds * rate);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples + (samples % 2), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples, 40);
  const data = Buffer.alloc(samples + (samples % 2), 128);
  for (let i = 0; i < samples; i += 1) data[i] = i % 20 < 10 ? 120 : 136;
  return Buffer.concat([header, data]);
}

/** The same MP4 with a `free` box at its end, so that the file has this many bytes. */
export function pad(mp4Bytes, length) {
  const bytes = Buffer.alloc(length);
  mp4Bytes.copy(bytes);
  bytes.writeUInt32BE(length - mp4Bytes.length, mp4Bytes.length);
  bytes.write('free', mp4Bytes.length + 4, 'latin1');
  return bytes;
}

const stored = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const file = (kind, type, filename, read, facts) => ({
  kind,
  type,
  filename,
  get bytes() {
    return read();
  },
  ...facts,
});
const mp4 = (seconds) =>
  file('video', 'video/mp4', `video-${seconds}s.mp4`, () => stored(`video-${seconds}s.mp4`), {
    width: 64,
    height: 48,
    seconds,
  });

/** One valid file of each accepted type (operation 9), with the properties that its Asset must have. */
export const accepted = [
  file('image', 'image/png', 'image.png', () => png({ width: 48, height: 32 }), { width: 48, height: 32 }),
  file('image', 'image/jpeg', 'image.jpg', () => stored('image.jpg'), { width: 48, height: 32 }),
  file('image', 'image/webp', 'image.webp', () => stored('image.webp'), { width: 48, height: 32 }),
  file('audio', 'audio/mpeg', 'audio.mp3', () => stored('audio.mp3'), { seconds: 1.1 }),
  file('audio', 'audio/wav', 'audio.wav', () => wav({ seconds: 1 }), { seconds: 1 }),
  file('audio', 'audio/mp4', 'audio.m4a', () => stored('audio.m4a'), { seconds: 1 }),
  file('audio', 'audio/ogg', 'audio.ogg', () => stored('audio.ogg'), { seconds: 1 }),
  mp4(2),
  file('video', 'video/webm', 'video-2s.webm', () => stored('video-2s.webm'), { width: 64, height: 48, seconds: 2 }),
  file('video', 'video/quicktime', 'video-2s.mov', () => stored('video-2s.mov'), { width: 64, height: 48, seconds: 2 }),
];

/** Valid MP4 clips by length; the last is over the upload bound of 60 s. */
export const clips = [2, 4, 8, 20, 59].map(mp4);
export const clipTooLong = mp4(61);
export const clipTooWide = file('video', 'video/mp4', 'video-4112px.mp4', () => stored('video-4112px.mp4'), {
  width: 4112,
  height: 16,
  seconds: 1,
});

/** Files that are not accepted media, whatever type they claim. */
export const invalid = [
  {
    title: 'plain text declared as text/plain',
    type: 'text/plain',
    filename: 'note.txt',
    bytes: Buffer.from('not a media file\n'),
  },
  {
    title: 'a GIF declared as image/gif',
    type: 'image/gif',
    filename: 'image.gif',
    get bytes() {
      return stored('image.gif');
    },
  },
  {
    title: 'text declared as image/png',
    type: 'image/png',
    filename: 'image.png',
    bytes: Buffer.from('not a media file, whatever its name says\n'.repeat(20)),
  },
  {
    title: 'text declared as audio/mpeg',
    type: 'audio/mpeg',
    filename: 'audio.mp3',
    bytes: Buffer.from('not a media file, whatever its name says\n'.repeat(20)),
  },
  {
    title: 'text declared as video/mp4',
    type: 'video/mp4',
    filename: 'video.mp4',
    bytes: Buffer.from('not a media file, whatever its name says\n'.repeat(20)),
  },
  {
    title: 'a page of HTML declared as image/webp',
    type: 'image/webp',
    filename: 'image.webp',
    bytes: Buffer.from('<!doctype html><script>1</script>'.repeat(20)),
  },
];

/** The type detected from the first bytes, or null. */
export function sniff(bytes) {
  const at = (from, to) => bytes.subarray(from, to).toString('latin1');
  if (at(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (at(0, 4) === 'RIFF' && at(8, 12) === 'WEBP') return 'image/webp';
  if (at(0, 4) === 'RIFF' && at(8, 12) === 'WAVE') return 'audio/wav';
  if (at(0, 4) === 'OggS') return 'audio/ogg';
  if (at(0, 3) === 'ID3' || (bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0)) return 'audio/mpeg';
  if (bytes.readUInt32BE(0) === 0x1a45dfa3) return 'video/webm';
  if (at(4, 8) === 'ftyp')
    return at(8, 12) === 'qt  ' ? 'video/quicktime' : at(8, 11) === 'M4A' ? 'audio/mp4' : 'video/mp4';
  return null;
}
