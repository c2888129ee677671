import type {
  ConsoleBody,
  ConsoleOperation,
  ConsoleOperationId,
  ConsoleParams,
  ConsoleQuery,
  ConsoleResponse,
  SignInOptions,
} from '@atelier/contract/console';
import type { Payments } from '../../domain/payments/payments.ts';
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
  /** What the sign-in page offers. */
  readonly signInOptions: SignInOptions;
  readonly payments: Payments;
  /** Requests per minute of a new key. */
  readonly keyRateLimit: number;
  readonly urlPolicy: UrlPolicy;
  readonly safeFetch: SafeFetch;
  readonly webhookHeaderPrefix: string;
}

/** The input of a handler, decoded and validated by the operation's row. */
export interface ConsoleInput<K extends ConsoleOperationId> {
  /** Absent if the operation is public. */
  readonly signedIn: IfPublic<K, undefined, SignedIn>;
  /** The person, as the audit log names them; absent if the operation is public. */
  readonly actor: IfPublic<K, undefined, string>;
  /** The account of the path; absent if the path names none. */
  readonly accountId: ConsoleOperation<K>['roles'] extends null ? undefined : string;
  /** The network of the client, for limits of operations without a session. */
  readonly network: string;
  readonly params: ConsoleParams<K>;
  readonly query: ConsoleQuery<K>;
  readonly body: ConsoleBody<K>;
}

type IfPublic<K extends ConsoleOperationId, Yes, No> = ConsoleOperation<K> extends { readonly public: true } ? Yes : No;

/** The answer of an operation that returns a file. An error while it is read breaks the connection. */
export interface ConsoleFile {
  readonly name: string;
  readonly contentType: string;
  readonly text: AsyncIterable<string>;
}

type Answer<K extends ConsoleOperationId> =
  ConsoleOperation<K> extends { readonly file: true } ? ConsoleFile : ConsoleResponse<K>;

export type ConsoleHandler<K extends ConsoleOperationId> = (
  services: ConsoleServices,
  input: ConsoleInput<K>,
) => Promise<Answer<K>>;

export type ConsoleHandlers = { readonly [K in ConsoleOperationId]: ConsoleHandler<K> };

/** The handlers of one resource. */
export type ConsoleRoutes<K extends ConsoleOperationId> = Pick<ConsoleHandlers, K>;
