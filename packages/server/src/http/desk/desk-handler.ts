import type { DeskBody, DeskOperationId, DeskParams, DeskQuery, DeskResponse } from '@atelier/contract/desk';
import type { BoundedCheck } from '../../domain/ledger/verify-books.ts';
import type { OpenWork } from '../../domain/operator/read-open-work.ts';
import type { Services } from '../../domain/services.ts';
import type { SignedIn } from '../console/identity.ts';

/** What the handlers of the desk may use. */
export interface DeskServices extends Services {
  /** Open work of the whole installation; null while the database is unavailable. */
  readonly readOpenWork: () => Promise<OpenWork | null>;
  /** Checks the books for a limited time; concurrent callers share one run. */
  readonly checkBooks: () => Promise<{ readonly checkedAt: Date; readonly checks: readonly BoundedCheck[] }>;
}

/** The input of a handler, decoded and validated by the operation's row. */
export interface DeskInput<K extends DeskOperationId> {
  readonly signedIn: SignedIn;
  /** The operator, as the audit log names them. */
  readonly actor: string;
  readonly params: DeskParams<K>;
  readonly query: DeskQuery<K>;
  readonly body: DeskBody<K>;
}

export type DeskHandler<K extends DeskOperationId> = (
  services: DeskServices,
  input: DeskInput<K>,
) => Promise<DeskResponse<K>>;

export type DeskHandlers = { readonly [K in DeskOperationId]: DeskHandler<K> };

/** The handlers of one resource. */
export type DeskRoutes<K extends DeskOperationId> = Pick<DeskHandlers, K>;
