import { describe, expect, test } from 'vitest';
import { OUTPUT_ONLY_TYPES, sniffHead, UPLOAD_TYPES } from './sniff-type.ts';
import { greyPixels, makePng, pngChunk } from './testing/make-png.ts';

const latin = (text: string) => Buffer.from(text, 'latin1').subarray(0);
const png = { width: 4, height: 4, pixels: greyPixels({ width: 4, height: 4 }) };
const ftyp = (brand: string) => latin(`\0\0\0\x14ftyp${brand}\0\0\x02\0${brand}\0\0\0\x08free`);

describe('uploads', () => {
  test('there are ten accepted types', () => {
    expect(Object.keys(UPLOAD_TYPES)).toHaveLength(10);
  });

  test.each([
    ['image/png', makePng(png)],
    ['image/png', makePng({ ...png, extra: [pngChunk('acTL', Buffer.alloc(8, 1))] })],
    ['image/jpeg', latin('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01')],
    ['image/webp', latin('RIFF\x10\0\0\0WEBPVP8 \0\0\0\0')],
    ['audio/wav', latin('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0')],
    ['audio/mp4', ftyp('M4A ')],
    ['video/mp4', ftyp('isom')],
    ['video/mp4', ftyp('mp42')],
    ['video/mp4', ftyp('M4V ')],
    ['video/quicktime', ftyp('qt  ')],
    ['video/quicktime', latin('\0\0\0\x08wide\0\0\0\x08mdat')],
    ['audio/mpeg', latin(`\xff\xfb\x90\x64${'\0'.repeat(600)}`)],
    ['audio/ogg', latin(`OggS\0\x02${'\0'.repeat(20)}\x01\x1eOpusHead\x01\x02`)],
    ['audio/ogg', latin(`OggS\0\x02${'\0'.repeat(20)}\x01\x1e\x01vorbis\0\0\0\0\x02`)],
    ['video/webm', latin('\x1aE\xdf\xa3\x87\x42\x82\x84webm')],
  ])('%s by its first bytes', async (mimeType, head) => {
    expect(await sniffHead(head, 'upload')).toEqual({ mimeType, kind: UPLOAD_TYPES[mimeType] });
  });

  test.each([
    ['gif', latin('GIF89a\x01\0\x01\0\0\0\0')],
    ['matroska', latin('\x1aE\xdf\xa3\x8b\x42\x82\x88matroska')],
    ['heic', ftyp('heic')],
    ['3gp', ftyp('3gp4')],
    ['ogg video', latin(`OggS\0\x02${'\0'.repeat(20)}\x01\x2a\x80theora\x03\x02`)],
    ['adts', latin('\xff\xf1P\x80\x02\x1f\xfc'.repeat(20))],
    ['avi', latin('RIFF\x24\0\0\0AVI LIST')],
    ['svg', latin('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['text', latin('some words')],
    ['playlist', latin('#EXTM3U\nhttp://127.0.0.1/\n')],
    ['glb', latin('glTF\x02\0\0\0\x40\0\0\0')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is refused', async (_name, head) => {
    expect(await sniffHead(head, 'upload')).toBeNull();
  });
});

describe('outputs', () => {
  test.each([
    ['model/gltf-binary', latin('glTF\x02\0\0\0\x40\0\0\0')],
    ['image/svg+xml', latin('<?xml version="1.0"?>\n<!-- made -->\n<svg width="1"/>')],
    ['image/svg+xml', latin('<svg>')],
    ['application/json', latin(' {"a": 1}')],
    ['text/plain', Buffer.from('Grüezi, Welt')],
    // A character truncated at the end of the head is not an error.
    ['text/plain', Buffer.from('ü'.repeat(3000)).subarray(0, 4099)],
  ])('%s', async (mimeType, head) => {
    expect(await sniffHead(head, 'output')).toEqual({ mimeType, kind: OUTPUT_ONLY_TYPES[mimeType] });
  });

  test.each([
    ['html', latin('<!DOCTYPE html><svg></svg>')],
    ['binary', latin('abc\0def')],
    ['not UTF-8', latin('caf\xe9 \xff\xfe')],
    ['blank', latin('  \n ')],
  ])('%s is refused', async (_name, head) => {
    expect(await sniffHead(head, 'output')).toBeNull();
  });
});
