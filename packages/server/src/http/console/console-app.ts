import { operations } from '@atelier/contract';
import { type ConsoleOperationId, consoleOperations, sessionPath } from '@atelier/contract/console';
import type { FastifyInstance } from 'fastify';
import { createRequestRecorder } from '../../domain/operator/request-records.ts';
import { bindOperations } from '../bind-operations.ts';
import { bindThumbnails } from '../discovery/bind-thumbnails.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { createSessionAdmission } from './admit-session.ts';
import { AUTHORIZATION_PATHS, bindAuthorization } from './bind-authorization.ts';
import { bindConsoleOperation, type ConsoleContext } from './bind-console-operation.ts';
import type { ConsoleHandler } from './console-handler.ts';
import { consoleHandlers } from './routes.ts';
import { createSessionApp, type SessionAppOptions } from './session-app.ts';

export interface ConsoleAppOptions extends Omit<SessionAppOptions, 'services'>, Omit<ConsoleContext, 'bodyDeadlines'> {
  /** Where the pictures of the effects are. */
  readonly thumbnailDir: string;
}

/** The paths of the console's API. Pages and files are answered by one more route, for GET alone. */
const CONSOLE_PATHS: readonly KnownPath[] = [
  ...Object.values(consoleOperations),
  ...Object.values(operations).map(({ method, path }) => ({ method, path: sessionPath(path) })),
  { method: 'GET', path: '/effects/{file}' },
  ...AUTHORIZATION_PATHS,
];

/** The console: its pages, sign-in, its own operations, and those of the public API for signed-in people. */
export async function createConsoleApp(options: ConsoleAppOptions): Promise<FastifyInstance> {
  const recorder = createRequestRecorder(options.services);
  return createSessionApp({ ...options, recorder }, CONSOLE_PATHS, (app, bodyDeadlines) => {
    app.addHook('onClose', () => recorder.close());
    const context: ConsoleContext = { ...options, bodyDeadlines };
    for (const [id, handler] of Object.entries(consoleHandlers) as Array<
      [ConsoleOperationId, ConsoleHandler<ConsoleOperationId>]
    >) {
      bindConsoleOperation(app, context, id, handler);
    }
    bindThumbnails(app, options);
    bindAuthorization(app, { services: options.services, origin: options.origin, bodyDeadlines });
    bindOperations(app, {
      // The pages load the thumbnails of the effects from here: their policy allows no request to the API's host.
      services: { ...options.services, publicUrl: options.origin },
      checkResponses: options.checkResponses,
      admit: createSessionAdmission(options),
      pathOf: sessionPath,
    });
  });
}
