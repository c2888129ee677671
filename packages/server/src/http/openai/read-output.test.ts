import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBase64 } from './read-output.ts';

test('pieces of any length join to the base64 of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 }), async (chunks) => {
      const source = async function* () {
        yield* chunks;
      };
      const pieces: string[] = [];
      for await (const piece of encodeBase64(source())) pieces.push(piece);
      expect(pieces.join('')).toBe(Buffer.concat(chunks).toString('base64'));
    }),
  );
});
