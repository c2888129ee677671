import { Readable } from 'node:stream';
import type { Asset, AssetKind, Generation } from '@atelier/contract';
import { findServedFile } from '../../domain/assets/find-served-file.ts';
import type { Services } from '../../domain/services.ts';
import type { LinkVariant } from '../../platform/signed-link.ts';
import { OpenaiRefusal } from './openai-error.ts';
import type { FileAnswer } from './openai-handler.ts';

type FileServices = Pick<Services, 'db' | 'store'>;

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The first output of a kind. */
export function findOutput({ id, outputs }: Generation, kind: AssetKind): Asset {
  const found = outputs.find((output) => output.kind === kind);
  if (found === undefined) throw goneFrom(id, kind);
  return found;
}

/** A file of an output, open for reading. */
export async function openOutput(
  services: FileServices,
  output: Asset,
  variant: LinkVariant = 'file',
): Promise<Required<FileAnswer>> {
  const file = await findServedFile(services, { assetId: output.id, variant });
  const read = file === null ? null : await services.store.read({ key: file.key });
  if (file === null || read === null) throw goneFrom(output.id, variant);
  return { type: file.mimeType, bytes: file.bytes, stream: read.stream };
}

export async function readTextOutput(services: FileServices, output: Asset, variant?: LinkVariant): Promise<string> {
  const { stream, bytes } = await openOutput(services, output, variant);
  if (bytes > MAX_TEXT_BYTES) {
    stream.destroy();
    throw new OpenaiRefusal('unavailable', 'too_large', `The text is larger than ${MAX_TEXT_BYTES} bytes.`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The JSON of an images response with the bytes of the files, encoded while they are read: no image is held in memory. An
 * error in the middle closes the connection, and the retry of the client continues the call.
 */
export async function streamImages(
  services: FileServices,
  { outputs, created }: { outputs: readonly Asset[]; created: number },
): Promise<FileAnswer> {
  const [first] = outputs;
  // Before the headers are sent, so that an unavailable store is an error with a body.
  const opened = first === undefined ? null : await openOutput(services, first);
  const write = async function* (): AsyncGenerator<string> {
    yield `{"created":${created},"data":[`;
    for (const [n, output] of outputs.entries()) {
      const { stream } = n === 0 && opened !== null ? opened : await openOutput(services, output);
      yield n === 0 ? '{"b64_json":"' : ',{"b64_json":"';
      yield* encodeBase64(stream);
      yield '"}';
    }
    yield ']}';
  };
  const stream = Readable.from(write(), { objectMode: false });
  // A client that disconnects before the first piece leaves the file open.
  stream.once('close', () => opened?.stream.destroy());
  return { type: 'application/json; charset=utf-8', stream };
}

/** Whole groups of three bytes, so that the pieces join to one text. */
export async function* encodeBase64(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield rest.toString('base64');
}

function goneFrom(id: string, what: string): OpenaiRefusal {
  return new OpenaiRefusal('not_found', 'not_found', `There is no ${what} of ${id}.`);
}
