import { maxBytesOf, type ReceiverOptions, receiveWebhook } from './receive-webhook.ts';

interface FastifyRequest {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: unknown;
}

interface FastifyReply {
  code(status: number): { type(type: string): { send(text: string): unknown } };
}

interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: '*',
    options: { parseAs: 'buffer'; bodyLimit: number },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

/**
 * A plugin: `app.register(createFastifyReceiver('/hook', { ... }))`. Only its own route gets raw bodies; the rest of
 * the app parses JSON as before.
 */
export function createFastifyReceiver(path: string, options: ReceiverOptions) {
  // biome-ignore lint/suspicious/noExplicitAny: the instance of any version and any settings of Fastify
  return async (instance: any): Promise<void> => {
    const scope = instance as FastifyScope;
    scope.removeAllContentTypeParsers();
    const parser = { parseAs: 'buffer', bodyLimit: maxBytesOf(options) } as const;
    scope.addContentTypeParser('*', parser, (_request, body, done) => done(null, body));
    scope.post(path, async (request, reply) => {
      const body = (request.body ?? new Uint8Array()) as Uint8Array;
      const { status, text } = await receiveWebhook(body, request.headers, options);
      return reply.code(status).type('text/plain').send(text);
    });
  };
}
