import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { seededRandom } from '../../platform/seeded-random.ts';
import { deflatedZeros, greyPixels, makePng, pngChunk } from './make-png.ts';

export interface HostileFile {
  name: string;
  bytes: Buffer;
  /** Set where the result is known; elsewhere facts and a refusal are both correct. */
  expect?: 'refused' | 'accepted';
}

export const HOSTILE_SEED = 20_260_101;
const TRUNCATIONS_PER_TYPE = 24;
const FLIPS_PER_TYPE = 24;
const LENGTHS_PER_TYPE = 8;

/** The same files for the same seed: damaged, lying, oversized and foreign ones. */
export async function* hostileFiles(
  samples: Readonly<Record<string, string>>,
  seed = HOSTILE_SEED,
): AsyncGenerator<HostileFile> {
  const random = seededRandom(seed);
  const originals: Record<string, Buffer> = {};
  for (const [mimeType, path] of Object.entries(samples)) originals[mimeType] = await readFile(path);

  for (const [mimeType, bytes] of Object.entries(originals)) {
    yield { name: `${mimeType} whole`, bytes, expect: 'accepted' };
    yield* truncations(mimeType, bytes);
    yield* flips(mimeType, bytes, random);
    yield* lengthLies(mimeType, bytes, random);
    yield* polyglots(mimeType, bytes);
  }
  yield* bombs();
  yield* animationBombs();
  yield* scanBombs(originals['image/jpeg']!);
  yield* durationLies(originals);
  yield* strangers(originals);
}

function* truncations(mimeType: string, bytes: Buffer): Generator<HostileFile> {
  const isPicture = mimeType.startsWith('image/');
  for (let step = 0; step < TRUNCATIONS_PER_TYPE; step++) {
    const length = Math.floor((bytes.length * step) / TRUNCATIONS_PER_TYPE);
    // A picture without its last rows is always detected; a sound may just be shorter.
    const refused = isPicture || length < 12;
    yield {
      name: `${mimeType} cut at ${length}`,
      bytes: bytes.subarray(0, length),
      ...(refused ? { expect: 'refused' } : {}),
    };
  }
}

function* flips(mimeType: string, bytes: Buffer, random: () => number): Generator<HostileFile> {
  for (let step = 0; step < FLIPS_PER_TYPE; step++) {
    const changed = Buffer.from(bytes);
    const count = 2 ** (step % 10);
    // Half of them in the first kilobyte, where the structure is.
    const reach = step % 2 === 0 ? Math.min(1024, bytes.length) : bytes.length;
    for (let flip = 0; flip < count; flip++) changed[Math.floor(random() * reach)]! ^= 1 << Math.floor(random() * 8);
    yield { name: `${mimeType} ${count} flips #${step}`, bytes: changed };
  }
}

function* lengthLies(mimeType: string, bytes: Buffer, random: () => number): Generator<HostileFile> {
  const lies = [0, 1, 0x7fffffff, 0xffffffff];
  for (let step = 0; step < LENGTHS_PER_TYPE; step++) {
    const changed = Buffer.from(bytes);
    const at = Math.floor((random() * Math.min(512, bytes.length - 4)) / 4) * 4;
    changed.writeUInt32BE(lies[step % lies.length]!, at);
    yield { name: `${mimeType} length ${lies[step % lies.length]} at ${at}`, bytes: changed };
  }
}

function* polyglots(mimeType: string, bytes: Buffer): Generator<HostileFile> {
  const tails = { script: '<script>alert(1)</script>', zip: 'PK\x03\x04\x14\0\0\0\0\0', pdf: '%PDF-1.7\n1 0 obj\n' };
  for (const [name, tail] of Object.entries(tails)) {
    yield { name: `${mimeType} then ${name}`, bytes: Buffer.concat([bytes, Buffer.from(tail, 'latin1')]) };
    yield {
      name: `${name} then ${mimeType}`,
      bytes: Buffer.concat([Buffer.from(tail, 'latin1'), bytes]),
      expect: 'refused',
    };
  }
}

function* bombs(): Generator<HostileFile> {
  for (const side of [16_000, 60_000, 2 ** 31 - 1]) {
    const rows = Math.min(side, 60_000);
    const pixels = deflatedZeros((Math.ceil(rows / 8) + 1) * rows);
    yield {
      name: `png ${side} squared`,
      bytes: makePng({ width: side, height: side, bitDepth: 1, pixels }),
      expect: 'refused',
    };
  }
  yield {
    name: 'png 1 by 100000',
    bytes: makePng({ width: 1, height: 100_000, pixels: deflatedZeros(200_000) }),
    expect: 'refused',
  };
  yield {
    name: 'png 8193 wide',
    bytes: makePng({ width: 8193, height: 1, pixels: deflatedZeros(8194) }),
    expect: 'refused',
  };
  yield {
    name: 'png 8192 wide',
    bytes: makePng({ width: 8192, height: 1, pixels: deflatedZeros(8193) }),
    expect: 'accepted',
  };
  yield {
    name: 'png 8192 squared',
    bytes: makePng({ width: 8192, height: 8192, pixels: deflatedZeros(8193 * 8192) }),
    expect: 'accepted',
  };
  yield { name: 'png 0 wide', bytes: makePng({ width: 0, height: 8, pixels: deflatedZeros(8) }), expect: 'refused' };

  const small = { width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }) };
  const gigabyte = deflatedZeros(2 ** 30);
  const zipped = (head: string) => Buffer.concat([Buffer.from(head, 'latin1'), gigabyte]);
  yield { name: 'png text bomb', bytes: makePng({ ...small, extra: [pngChunk('zTXt', zipped('Comment\0\0'))] }) };
  yield {
    name: 'png long text bomb',
    bytes: makePng({ ...small, extra: [pngChunk('iTXt', zipped('Comment\0\x01\0\0\0'))] }),
  };
  yield { name: 'png profile bomb', bytes: makePng({ ...small, extra: [pngChunk('iCCP', zipped('x\0\0'))] }) };
  const text = pngChunk('tEXt', Buffer.from(`Comment\0${'x'.repeat(64)}`, 'latin1'));
  yield { name: 'png 50000 texts', bytes: makePng({ ...small, extra: Array.from({ length: 50_000 }, () => text) }) };
  yield {
    name: 'png bad pixels',
    bytes: makePng({ ...small, pixels: Buffer.from('not deflated at all') }),
    expect: 'refused',
  };
}

async function* animationBombs(): AsyncGenerator<HostileFile> {
  const side = 4096;
  const still = await sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer();
  const picture = still.subarray(12);
  const chunk = (name: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  };
  const extended = (width: number, height: number) => {
    const content = Buffer.alloc(10);
    content[0] = 0x02;
    content.writeUIntLE(width - 1, 4, 3);
    content.writeUIntLE(height - 1, 7, 3);
    return chunk('VP8X', content);
  };
  const frame = Buffer.alloc(16);
  frame.writeUIntLE(side - 1, 6, 3);
  frame.writeUIntLE(side - 1, 9, 3);
  const frames = (count: number) => Array.from({ length: count }, () => chunk('ANMF', Buffer.concat([frame, picture])));
  const file = (parts: Buffer[]) => {
    const content = Buffer.concat([Buffer.from('WEBP'), ...parts]);
    return chunk('RIFF', content);
  };
  const loop = chunk('ANIM', Buffer.alloc(6));
  for (const count of [5, 1000, 20_000]) {
    yield {
      name: `webp of ${count} frames`,
      bytes: file([extended(side, side), loop, ...frames(count)]),
      expect: 'refused',
    };
  }
  yield { name: 'webp of one frame', bytes: file([extended(side, side), loop, ...frames(1)]) };
  yield { name: 'webp 16383 canvas', bytes: file([extended(16_383, 16_383), loop, ...frames(1)]), expect: 'refused' };
  yield { name: 'webp no frame', bytes: file([extended(side, side), loop]), expect: 'refused' };
}

async function* scanBombs(jpeg: Buffer): AsyncGenerator<HostileFile> {
  const progressive = await sharp({ create: { width: 4000, height: 4000, channels: 3, background: 'red' } })
    .jpeg({ progressive: true })
    .toBuffer();
  const lastScan = progressive.lastIndexOf(Buffer.of(0xff, 0xda));
  const scan = progressive.subarray(lastScan, -2);
  const many = Array.from({ length: 300 }, () => scan);
  yield {
    name: 'jpeg of 300 scans',
    bytes: Buffer.concat([progressive.subarray(0, -2), ...many, progressive.subarray(-2)]),
  };
  const size = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  for (const [height, width] of [
    [0, 160],
    [120, 0],
    [65_500, 65_500],
  ] as const) {
    const changed = Buffer.from(jpeg);
    changed.writeUInt16BE(height, size + 5);
    changed.writeUInt16BE(width, size + 7);
    yield { name: `jpeg ${width} by ${height}`, bytes: changed, expect: 'refused' };
  }
  const comment = Buffer.concat([Buffer.of(0xff, 0xfe, 0xff, 0xff), Buffer.alloc(65_533, 0x41)]);
  const comments = Array.from({ length: 250 }, () => comment);
  yield { name: 'jpeg of 16 MB comments', bytes: Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]) };
}

function* durationLies(originals: Readonly<Record<string, Buffer>>): Generator<HostileFile> {
  const patch = (mimeType: string, mark: string, offset: number, values: number[], write: 'BE' | 'LE' = 'BE') => {
    const changed = Buffer.from(originals[mimeType]!);
    for (let at = changed.indexOf(mark, 0, 'latin1'); at !== -1; at = changed.indexOf(mark, at + 4, 'latin1')) {
      values.forEach((value, place) => {
        if (write === 'BE') changed.writeUInt32BE(value, at + offset + place * 4);
        else changed.writeUInt32LE(value, at + offset + place * 4);
      });
    }
    return changed;
  };
  for (const mimeType of ['video/mp4', 'video/quicktime', 'audio/mp4']) {
    yield { name: `${mimeType} header says 10 h`, bytes: patch(mimeType, 'mvhd', 20, [36_000_000]) };
    yield { name: `${mimeType} media says 10 h`, bytes: patch(mimeType, 'mdhd', 20, [0x7fffffff]) };
    yield { name: `${mimeType} no time scale`, bytes: patch(mimeType, 'mdhd', 16, [0]) };
    yield { name: `${mimeType} sample lasts for ever`, bytes: patch(mimeType, 'stts', 8, [1, 0xffffffff, 0x7fffffff]) };
    yield { name: `${mimeType} four billion samples`, bytes: patch(mimeType, 'stsz', 12, [0xffffffff]) };
    yield { name: `${mimeType} data elsewhere`, bytes: patch(mimeType, 'url ', 4, [0]) };
    yield { name: `${mimeType} chunks past the end`, bytes: patch(mimeType, 'stco', 12, [0xfffffff0]) };
    yield { name: `${mimeType} no picture size`, bytes: patch(mimeType, 'avc1', 28, [0]) };
    yield { name: `${mimeType} many tracks`, bytes: repeatTracks(originals[mimeType]!, 3000) };
  }
  for (const bytes of [0, 1, 0x7fffffff, 0xffffffff]) {
    yield { name: `wav data of ${bytes}`, bytes: patch('audio/wav', 'data', 4, [bytes], 'LE') };
    yield { name: `wav of ${bytes}`, bytes: patch('audio/wav', 'RIFF', 4, [bytes], 'LE') };
  }
  yield { name: 'wav of no rate', bytes: patch('audio/wav', 'fmt ', 12, [0, 0], 'LE'), expect: 'refused' };
  yield { name: 'wav of no channels', bytes: patch('audio/wav', 'fmt ', 8, [1], 'LE'), expect: 'refused' };
  yield { name: 'ogg ends in 10 h', bytes: patch('audio/ogg', 'OggS', 6, [0x5fa8d0, 0], 'LE') };
  yield { name: 'mp3 of four billion frames', bytes: patch('audio/mpeg', 'Info', 8, [0xffffffff, 0xffffffff]) };
  const webm = Buffer.from(originals['video/webm']!);
  const duration = webm.indexOf(Buffer.of(0x44, 0x89, 0x88));
  if (duration !== -1) webm.writeDoubleBE(36_000_000, duration + 3);
  yield { name: 'webm says 10 h', bytes: webm };
}

/** The same track again and again inside one index. */
function repeatTracks(file: Buffer, count: number): Buffer {
  const index = file.indexOf('moov', 0, 'latin1') - 4;
  const track = file.indexOf('trak', 0, 'latin1') - 4;
  const indexBytes = file.readUInt32BE(index);
  const tracks = Array.from({ length: count }, () => file.subarray(track, track + file.readUInt32BE(track)));
  const content = Buffer.concat([file.subarray(index, index + indexBytes), ...tracks]);
  content.writeUInt32BE(content.length, 0);
  return Buffer.concat([file.subarray(0, index), content, file.subarray(index + indexBytes)]);
}

function* strangers(originals: Readonly<Record<string, Buffer>>): Generator<HostileFile> {
  const texts = {
    playlist: '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:1/secret\n#EXT-X-ENDLIST\n',
    'local playlist': '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n',
    dash: '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>http://127.0.0.1:1/</BaseURL></MPD>',
    concat: "ffconcat version 1.0\nfile '/etc/passwd'\n",
    html: '<!DOCTYPE html><html><script>alert(1)</script></html>',
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
    pdf: '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n',
    gif: 'GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;',
    zip: 'PK\x05\x06'.padEnd(22, '\0'),
    elf: '\x7fELF\x02\x01\x01'.padEnd(64, '\0'),
    flac: 'fLaC\0\0\0\x22'.padEnd(64, '\0'),
    adts: '\xff\xf1P\x80\x02\x1f\xfc'.repeat(8),
    matroska: '\x1aE\xdf\xa3\x9f\x42\x82\x88matroska'.padEnd(64, '\0'),
    avi: 'RIFF\x24\0\0\0AVI LIST'.padEnd(64, '\0'),
    heic: '\0\0\0\x18ftypheic\0\0\0\0mif1heic'.padEnd(64, '\0'),
    text: 'just a few words, nothing more',
    json: '{"a":1}',
    asf: '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'.padEnd(200, '\0'),
    'one byte': 'x',
    nothing: '',
    zeros: '\0'.repeat(5000),
    'bare ftyp': '\0\0\0\x14ftypisom\0\0\x02\0isom',
    'bare id3': `ID3\x03\0\0\0\0\x0f\x7f${'\0'.repeat(3000)}`,
    'bare ogg': 'OggS\0\x02'.padEnd(64, '\0'),
    'endless id3': `ID3\x04\0\0\x7f\x7f\x7f\x7f${'\0'.repeat(64)}`,
    'nested boxes': `${'\0\0\0\x14ftypisom\0\0\x02\0isom'}${Array.from({ length: 4000 }, () => '\x7f\xff\xff\xffmoov').join('')}`,
  };
  for (const [name, text] of Object.entries(texts))
    yield { name, bytes: Buffer.from(text, 'latin1'), expect: 'refused' };
  const disguise = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0isom', 'latin1');
  for (const name of ['playlist', 'local playlist', 'dash', 'concat'] as const) {
    yield { name: `${name} as mp4`, bytes: Buffer.concat([disguise, Buffer.from(texts[name])]), expect: 'refused' };
  }
  yield {
    name: 'mp4 inside png',
    bytes: Buffer.concat([originals['image/png']!.subarray(0, 33), originals['video/mp4']!]),
    expect: 'refused',
  };
}
