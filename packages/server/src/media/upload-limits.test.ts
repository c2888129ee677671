import { expect, test } from 'vitest';
import type { MediaFacts } from './media-facts.ts';
import { requireUploadFacts, requireUploadSize, type UploadKind } from './upload-limits.ts';

const MB = 1024 * 1024;

test.each([
  ['image', 20 * MB],
  ['audio', 50 * MB],
  ['video', 200 * MB],
] as const)('%s has a size limit', (kind: UploadKind, maxBytes: number) => {
  expect(() => requireUploadSize(kind, maxBytes)).not.toThrow();
  expect(() => requireUploadSize(kind, maxBytes + 1)).toThrow(expect.objectContaining({ code: 'upload_too_large' }));
});

const facts = (given: Partial<MediaFacts>): MediaFacts => ({
  kind: 'image',
  mimeType: 'image/png',
  width: null,
  height: null,
  durationSeconds: null,
  ...given,
});

test.each([
  [facts({ width: 8192, height: 1 }), null],
  [facts({ width: 1, height: 8193 }), 'upload_invalid'],
  [facts({ kind: 'video', width: 4096, height: 4096, durationSeconds: 60 }), null],
  [facts({ kind: 'video', width: 640, height: 480, durationSeconds: 60.05 }), null],
  [facts({ kind: 'video', width: 640, height: 480, durationSeconds: 60.2 }), 'upload_too_long'],
  [facts({ kind: 'video', width: 4097, height: 2, durationSeconds: 1 }), 'upload_invalid'],
  [facts({ kind: 'audio', durationSeconds: 600 }), null],
  [facts({ kind: 'audio', durationSeconds: 601 }), 'upload_too_long'],
  [facts({ kind: 'text' }), 'upload_invalid'],
])('%o gives %s', (given, code) => {
  if (code === null) expect(() => requireUploadFacts(given)).not.toThrow();
  else expect(() => requireUploadFacts(given)).toThrow(expect.objectContaining({ code }));
});
