import {
  MAX_COINS_HEADER,
  OPENAI_PREFIX,
  type OpenaiOperationId,
  type OpenaiOperationRow,
  openaiOperations,
} from '@atelier/contract/openai';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Compile } from 'typebox/compile';
import type { Caller } from '../../domain/accounts/caller.ts';
import { discardUploads } from '../../domain/assets/uploads/discard-uploads.ts';
import { createGenerationWaits } from '../../domain/generations/read/generation-waits.ts';
import { hasOriginal } from '../../domain/generations/submit/has-original.ts';
import type { Services } from '../../domain/services.ts';
import { invalidParams } from '../../platform/problem.ts';
import type { AdmitKey } from '../auth/admit.ts';
import { refuseClosed } from '../bind-operation.ts';
import { type BodyDeadlines, createBodyDeadlines } from '../body/body-deadlines.ts';
import { createQueryReader, createValidator } from '../body/validate.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { OpenaiRefusal } from './openai-error.ts';
import type { OpenaiAnswer, OpenaiContext, OpenaiHandler, OpenaiInput } from './openai-handler.ts';
import { readAttempt } from './read-attempt.ts';
import { readCeiling } from './read-ceiling.ts';
import { createFieldReader, type FormFile, readForm } from './read-form.ts';
import { openaiHandlers } from './routes.ts';
import { createOpenaiErrorHandler } from './send-openai-error.ts';

const WAIT_LIMITS = { perProcess: 2_000, perAccount: 100 };

export interface OpenaiOptions {
  readonly services: Services;
  readonly admitKey: AdmitKey;
  readonly waitSeconds: number;
}

/** Every path of this API. */
export const OPENAI_PATHS: readonly KnownPath[] = Object.values(openaiOperations).map(({ method, path }) => ({
  method,
  path: `${OPENAI_PREFIX}${path}`,
}));

/** Binds the OpenAI-compatible API, with errors in OpenAI's shape. */
export async function bindOpenai(app: FastifyInstance, options: OpenaiOptions): Promise<void> {
  const { services, waitSeconds } = options;
  const waits = createGenerationWaits(services, WAIT_LIMITS);
  const deadlines = createBodyDeadlines();
  app.addHook('preClose', async () => waits.close());
  app.addHook('onClose', async () => deadlines.close());
  await app.register(async (scope) => {
    scope.setErrorHandler(createOpenaiErrorHandler(services));
    const context: BindContext = { services, waits, waitSeconds, deadlines, admitKey: options.admitKey };
    for (const [id, handler] of Object.entries(openaiHandlers) as Array<[OpenaiOperationId, AnyHandler]>) {
      bindRow(scope, context, id, handler);
    }
    scope.all(`${OPENAI_PREFIX}/*`, { onRequest: refuseUnknown }, refuseUnknown);
  });
}

type AnyHandler = OpenaiHandler<OpenaiOperationId>;

interface BindContext extends OpenaiContext {
  readonly admitKey: AdmitKey;
  readonly deadlines: BodyDeadlines;
}

async function refuseUnknown(request: FastifyRequest): Promise<never> {
  const path = (request.raw.url ?? '').split('?', 1)[0]?.slice(OPENAI_PREFIX.length, MAX_PATH_TOLD);
  throw new OpenaiRefusal(
    'not_found',
    'unknown_url',
    `${request.method} ${path} is not supported. This API makes images, audio and videos only.`,
  );
}

const MAX_PATH_TOLD = 100;

function bindRow(scope: FastifyInstance, context: BindContext, id: OpenaiOperationId, handler: AnyHandler): void {
  const row: OpenaiOperationRow = openaiOperations[id];
  const validBody = row.body === undefined ? null : createValidator(row.body, 'body');
  const readFields = row.body === undefined ? null : createFieldReader(row.body);
  const validParams = row.params === undefined ? null : Compile(row.params);
  const readQuery = createQueryReader(row.query);

  scope.route({
    method: row.method,
    url: `${OPENAI_PREFIX}${row.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    config: { operation: id },
    onRequest: async (request, reply) => {
      await context.admitKey(request, reply, { scopes: row.scopes });
      if (row.spends === true && !isForm(request)) context.deadlines.expect(request, reply);
    },
    handler: async (request, reply) => {
      context.deadlines.arrived(request);
      const caller = request.caller as NonNullable<typeof request.caller>;
      if (validParams !== null && !validParams.Check(request.params)) {
        throw new OpenaiRefusal('not_found', 'not_found', 'Path not found.');
      }
      const query = readQuery(request.query);
      const uploads: string[] = [];
      let answer: OpenaiAnswer;
      try {
        const form =
          row.files !== undefined && readFields !== null && isForm(request)
            ? await readForm(context.services, request, {
                accountId: caller.accountId,
                files: row.files,
                readFields,
                onUpload: (await mayUpload(context, request, caller)) ? (id) => void uploads.push(id) : null,
              })
            : { fields: withoutNulls(readBody(row, request)), files: [] };
        const validate = () => {
          const maxCoins = readCeiling(request.headers[MAX_COINS_HEADER], caller.requestCap);
          validBody?.(form.fields);
          requireFile(row, form.files);
          return { maxCoins };
        };
        const input = { caller, validate, params: request.params, query, ...form, request, reply };
        answer = await handler(context, input as unknown as OpenaiInput<OpenaiOperationId>);
      } finally {
        // Those of a refused request and of a repeat: no generation uses them.
        await discardUploads(context.services, { accountId: caller.accountId, ids: uploads });
      }
      return send(reply, answer);
    },
  });
}

/**
 * Whether the files of a form are stored. Those of a repeat are only compared with the original, which comes before every
 * refusal. A new request that is refused anyway is refused before its body is read.
 */
async function mayUpload(context: BindContext, request: FastifyRequest, caller: Caller): Promise<boolean> {
  const { accountId } = caller;
  const attempt = readAttempt(request.headers);
  if ('idempotencyKey' in attempt && (await hasOriginal(context.services, { accountId, ...attempt }))) return false;
  readCeiling(request.headers[MAX_COINS_HEADER], caller.requestCap);
  refuseClosed(context, caller, { switched: true, locked: true });
  return true;
}

function requireFile(row: OpenaiOperationRow, files: readonly FormFile[]): void {
  const [name = 'file'] = Object.keys(row.files ?? {});
  if (row.form !== true || files.some(({ field }) => field === name)) return;
  throw invalidParams('The request is not valid', [{ path: name, message: 'is required and must be a file' }]);
}

function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

function readBody(row: OpenaiOperationRow, request: FastifyRequest): unknown {
  if (row.form !== true) return request.body;
  throw invalidParams('The request is not valid', [{ path: 'Content-Type', message: 'must be multipart/form-data' }]);
}

/** Clients send null for what they leave out. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function send(reply: FastifyReply, answer: OpenaiAnswer): FastifyReply {
  if ('json' in answer) return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.json));
  if ('text' in answer) return reply.type('text/plain; charset=utf-8').send(answer.text);
  const { type, bytes, stream } = answer.file;
  if (bytes !== undefined) reply.header('content-length', String(bytes));
  return reply.type(type).send(stream);
}
