import type {
  ConsoleBody,
  ConsoleOperation,
  ConsoleOperationId,
  ConsoleParams,
  ConsoleQuery,
  ConsoleResponse,
} from '@atelier/contract/console';
import type { Services } from '../../domain/services.ts';
import type { UrlPolicy } from '../../domain/webhooks/endpoints/check-endpoint.ts';
import type { Mailer } from '../../platform/mail.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { SignedIn } from './identity.ts';

/** What the handlers of the console may use: what all operations use, and the settings of keys and webhooks. */
export interface ConsoleServices extends Services {
  readonly mail: Pick<Mailer, 'sendSoon'>;
  /** Public origin of the console, for links in mails. */
  readonly consoleUrl: string;
  readonly cell: string;
  /** Requests per minute of a new key. */
  readonly keyRateLimit: number;
  readonly urlPolicy: UrlPolicy;
  readonly safeFetch: SafeFetch;
  readonly webhookHeaderPrefix: string;
}

/** The input of a handler, decoded and validated by the operation's row. */
export interface ConsoleInput<K extends ConsoleOperationId> {
  readonly signedIn: SignedIn;
  /** The person, as the audit log names them. */
  readonly actor: string;
  /** The account of the path; absent if the path names none. */
  readonly accountId: ConsoleOperation<K>['roles'] extends null ? undefined : string;
  readonly params: ConsoleParams<K>;
  readonly query: ConsoleQuery<K>;
  readonly body: ConsoleBody<K>;
}

export type ConsoleHandler<K extends ConsoleOperationId> = (
  services: ConsoleServices,
  input: ConsoleInput<K>,
) => Promise<ConsoleResponse<K>>;

export type ConsoleHandlers = { readonly [K in ConsoleOperationId]: ConsoleHandler<K> };

/** The handlers of one resource. */
export type ConsoleRoutes<K extends ConsoleOperationId> = Pick<ConsoleHandlers, K>;
