import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Asset } from '@atelier/contract';
import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { createUpload, type UploadServices } from '../../domain/assets/uploads/create-upload.ts';
import { UPLOAD_LIMITS } from '../../media/upload-limits.ts';
import { invalidParams, type Problem } from '../../platform/problem.ts';
import { findTextError } from '../body/parse-json.ts';
import { BOUNDARY, toFormProblem } from '../body/read-upload-part.ts';
import { receiveBody } from '../body/receive-body.ts';

/** A file of the form. */
export interface FormFile {
  readonly field: string;
  /** The upload that it became; null if it was only compared. */
  readonly asset: Asset | null;
  /** Of the bytes that the client sent. */
  readonly sha256: string;
}

export interface Form {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly FormFile[];
}

/** OpenAI marks the area to change by transparency. */
export const MASK_FIELD = 'mask';
const MAX_FIELDS = 32;
/** A prompt of 32,000 characters of four bytes each. */
const MAX_FIELD_BYTES = 128 * 1024;

export interface FormRequest {
  readonly accountId: string;
  /** The file fields, with the largest number of files. */
  readonly files: Readonly<Record<string, number>>;
  readonly readFields: FieldReader;
  /** Called with each upload; without it, files are only compared with those of an earlier request. */
  readonly onUpload: ((id: string) => void) | null;
}

/** Reads a form: every file becomes an upload of the account, every other field a value for the schema. */
export async function readForm(services: UploadServices, request: FastifyRequest, form: FormRequest): Promise<Form> {
  if (!BOUNDARY.test(request.headers['content-type'] ?? '')) throw refuse('Content-Type', 'must have a boundary');
  return receiveBody(request, async (tooSlow) => {
    const most = Object.values(form.files).reduce((sum, count) => sum + count, 0);
    const parts = request.parts({
      limits: {
        files: most,
        fields: MAX_FIELDS,
        parts: most + MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        fileSize: UPLOAD_LIMITS.video.maxBytes + 1,
      },
    });
    const texts: Record<string, string> = {};
    const files: FormFile[] = [];
    try {
      for await (const part of parts) {
        if (part.type !== 'file') readText(part, texts);
        else {
          tooSlow.addEventListener('abort', () => part.file.destroy(tooSlow.reason), { once: true });
          files.push(await receiveFile(services, { part, form, files }));
        }
      }
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'FST_FILES_LIMIT') throw refuse('body', `must have at most ${most} files`);
      throw toFormProblem(error) ?? error;
    }
    return { fields: form.readFields(texts), files };
  });
}

function readText(part: Extract<Multipart, { type: 'field' }>, texts: Record<string, string>): void {
  const { fieldname: name, value } = part;
  if (part.valueTruncated || part.fieldnameTruncated) throw refuse(name, `must have at most ${MAX_FIELD_BYTES} bytes`);
  if (Object.hasOwn(texts, name)) throw refuse(name, 'must not be sent twice');
  const error = typeof value === 'string' ? findTextError(value) : 'must be a text';
  if (error !== null) throw refuse(name, error);
  texts[name] = value as string;
}

async function receiveFile(
  services: UploadServices,
  options: {
    part: Extract<Multipart, { type: 'file' }>;
    form: FormRequest;
    files: readonly FormFile[];
  },
): Promise<FormFile> {
  const { part, files } = options;
  const { accountId, files: allowed, onUpload } = options.form;
  // Clients write lists of files with brackets.
  const field = part.fieldname.replace(/\[\d*\]$/, '');
  const most = Object.hasOwn(allowed, field) ? allowed[field] : undefined;
  if (most === undefined) throw refuse(field, 'is not a file that this operation takes');
  if (files.filter((file) => file.field === field).length >= most) throw refuse(field, `must be at most ${most} files`);
  const hash = createHash('sha256');
  const file = Readable.from(hashing(part.file, hash), { objectMode: false });
  if (onUpload === null) {
    await finished(file.resume());
    return { field, asset: null, sha256: hash.digest('hex') };
  }
  const asset = await createUpload(services, { accountId, file, minBytes: 0, isAlphaMask: field === MASK_FIELD });
  onUpload(asset.id);
  return { field, asset, sha256: hash.digest('hex') };
}

async function* hashing(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

export type FieldReader = (texts: Readonly<Record<string, string>>) => Record<string, unknown>;

/** Converts the texts of a form to the types of the schema. What cannot be converted is left for the validator. */
export function createFieldReader(schema: TSchema): FieldReader {
  const { properties = {} } = schema as { properties?: Record<string, TSchema> };
  const checks = new Map(Object.entries(properties).map(([name, property]) => [name, Compile(property)]));
  return (texts) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => {
        const check = checks.get(name);
        const value = candidatesOf(text).find((candidate) => check?.Check(candidate));
        return [name, value === undefined ? text : value];
      }),
    );
}

function candidatesOf(text: string): unknown[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return /^-?\d{1,9}(\.\d{1,9})?$/.test(text) ? [text, Number(text)] : [text];
}

function refuse(path: string, message: string): Problem {
  return invalidParams('The form is not valid', [{ path: path.slice(0, 64), message }]);
}
