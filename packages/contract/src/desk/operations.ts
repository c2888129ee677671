import Type, { type Static, type TSchema } from 'typebox';
import type { ConsoleOperationRow } from '../console/operation-row.ts';
import type { ProblemCode } from '../problems.ts';
import { CHANNELS, UUID_PATTERN } from '../vocabulary.ts';
import {
  AdjustBody,
  DeskAccountDetail,
  DeskAccountList,
  GrantBody,
  LimitsBody,
  LockBody,
  Moved,
  SearchAccountsQuery,
} from './accounts.ts';
import { AuditPage, AuditQuery } from './audit.ts';
import {
  CloseModelBody,
  DeskModelDetail,
  DeskModelList,
  PublishPriceBody,
  SetCostsBody,
  TriedPrice,
  TryPriceBody,
} from './models.ts';
import { FindRequestQuery, FoundRequest } from './requests.ts';
import { Books, ChannelBody, FailureList, ListFailuresQuery, MaintenanceBody, Overview, Switches } from './system.ts';

/** A row as the console's, without roles: every operation is for operators alone. */
export type DeskOperationRow = Omit<ConsoleOperationRow, 'roles' | 'public'> & {
  /** It shows data of customers: each call has a row in the audit log. */
  readonly personal?: true;
};

const OfAccount = Type.Object({ accountId: Type.String({ pattern: UUID_PATTERN }) });
const OfModel = Type.Object({ modelId: Type.String({ minLength: 1, maxLength: 200 }) });
const OfChannel = Type.Object({ channel: Type.Enum(CHANNELS) });

const reads = [
  'sign_in_required',
  'role_required',
  'invalid_params',
  'rate_limited',
  'unavailable',
] as const satisfies ProblemCode[];
const readsOne = [...reads, 'not_found'] as const satisfies ProblemCode[];
const changes = [...readsOne, 'cross_site_request'] as const satisfies ProblemCode[];
/** Changes of money and prices need a recent sign-in. */
const changesFresh = [...changes, 'reauthentication_required'] as const satisfies ProblemCode[];

const ACCOUNTS = '/api/desk/accounts';
const MODELS = '/api/desk/models';
const SWITCHES = '/api/desk/switches';

/** The operations of the operator's desk: for operators, on the desk's own listener. */
export const deskOperations = {
  getOverview: {
    method: 'GET',
    path: '/api/desk/overview',
    summary: 'Get the state of queues, workers and recent failures',
    response: Overview,
    status: 200,
    problems: reads,
  },

  searchAccounts: {
    method: 'GET',
    path: ACCOUNTS,
    summary: 'Find accounts',
    query: SearchAccountsQuery,
    personal: true,
    response: DeskAccountList,
    status: 200,
    problems: reads,
  },
  getDeskAccount: {
    method: 'GET',
    path: `${ACCOUNTS}/{accountId}`,
    summary: 'Get an account with its members, transfers and changes',
    params: OfAccount,
    personal: true,
    response: DeskAccountDetail,
    status: 200,
    problems: readsOne,
  },
  grantCoins: {
    method: 'POST',
    path: `${ACCOUNTS}/{accountId}/grant`,
    summary: 'Grant coins to an account',
    fresh: true,
    params: OfAccount,
    body: GrantBody,
    response: Moved,
    status: 200,
    problems: [...changesFresh, 'idempotency_conflict'],
  },
  adjustCoins: {
    method: 'POST',
    path: `${ACCOUNTS}/{accountId}/adjust`,
    summary: 'Correct a balance in either direction',
    fresh: true,
    params: OfAccount,
    body: AdjustBody,
    response: Moved,
    status: 200,
    problems: [...changesFresh, 'idempotency_conflict'],
  },
  lockAccount: {
    method: 'POST',
    path: `${ACCOUNTS}/{accountId}/lock`,
    summary: 'Lock or unlock an account',
    params: OfAccount,
    body: LockBody,
    response: DeskAccountDetail,
    status: 200,
    problems: changes,
  },
  setLimits: {
    method: 'PATCH',
    path: `${ACCOUNTS}/{accountId}/limits`,
    summary: 'Change the limits of an account',
    params: OfAccount,
    body: LimitsBody,
    response: DeskAccountDetail,
    status: 200,
    problems: changes,
  },

  listDeskModels: {
    method: 'GET',
    path: MODELS,
    summary: 'List the models with price, cost and margin',
    response: DeskModelList,
    status: 200,
    problems: reads,
  },
  getDeskModel: {
    method: 'GET',
    path: `${MODELS}/{modelId}`,
    summary: 'Get a model with its price rule and routes',
    params: OfModel,
    response: DeskModelDetail,
    status: 200,
    problems: readsOne,
  },
  tryPrice: {
    method: 'POST',
    path: `${MODELS}/{modelId}/try-price`,
    summary: 'Compute what the newest generations would have cost; changes nothing',
    params: OfModel,
    body: TryPriceBody,
    response: TriedPrice,
    status: 200,
    problems: changes,
  },
  publishPrice: {
    method: 'POST',
    path: `${MODELS}/{modelId}/price`,
    summary: 'Change the price of a model',
    fresh: true,
    params: OfModel,
    body: PublishPriceBody,
    response: DeskModelDetail,
    status: 200,
    problems: changesFresh,
  },
  setCosts: {
    method: 'POST',
    path: `${MODELS}/{modelId}/costs`,
    summary: 'Enter what the routes of a model cost you',
    params: OfModel,
    body: SetCostsBody,
    response: DeskModelDetail,
    status: 200,
    problems: changes,
  },
  closeModel: {
    method: 'POST',
    path: `${MODELS}/{modelId}/close`,
    summary: 'Close or open a model; accepted generations still run',
    params: OfModel,
    body: CloseModelBody,
    response: DeskModelDetail,
    status: 200,
    problems: changes,
  },

  getSwitches: {
    method: 'GET',
    path: SWITCHES,
    summary: 'Get what is closed',
    response: Switches,
    status: 200,
    problems: reads,
  },
  setMaintenance: {
    method: 'POST',
    path: `${SWITCHES}/maintenance`,
    summary: 'Start or end maintenance',
    body: MaintenanceBody,
    response: Switches,
    status: 200,
    problems: [...reads, 'cross_site_request'],
  },
  closeChannel: {
    method: 'POST',
    path: `${SWITCHES}/channels/{channel}`,
    summary: 'Close or open a channel',
    params: OfChannel,
    body: ChannelBody,
    response: Switches,
    status: 200,
    problems: changes,
  },

  findRequest: {
    method: 'GET',
    path: '/api/desk/find',
    summary: "Find a request or a generation by its id, with every attempt and the provider's own message",
    query: FindRequestQuery,
    personal: true,
    response: FoundRequest,
    status: 200,
    problems: reads,
  },
  listFailures: {
    method: 'GET',
    path: '/api/desk/failures',
    summary: "List failed runs with the provider's own message",
    query: ListFailuresQuery,
    personal: true,
    response: FailureList,
    status: 200,
    problems: reads,
  },
  checkBooks: {
    method: 'GET',
    path: '/api/desk/books',
    summary: 'Check the invariants of the ledger, for a limited time',
    response: Books,
    status: 200,
    problems: reads,
  },
  listAudit: {
    method: 'GET',
    path: '/api/desk/audit',
    summary: 'List changes and who made them',
    query: AuditQuery,
    response: AuditPage,
    status: 200,
    problems: reads,
  },
} as const satisfies Record<string, DeskOperationRow>;

export type DeskOperationId = keyof typeof deskOperations;
export type DeskOperation<K extends DeskOperationId = DeskOperationId> = (typeof deskOperations)[K];

/** The type of a part of a row; undefined if the row has no such part. */
type Part<K extends DeskOperationId, M extends string> =
  DeskOperation<K> extends { readonly [P in M]: infer S extends TSchema } ? Static<S> : undefined;
export type DeskParams<K extends DeskOperationId> = Part<K, 'params'>;
export type DeskQuery<K extends DeskOperationId> = Part<K, 'query'>;
export type DeskBody<K extends DeskOperationId> = Part<K, 'body'>;
export type DeskResponse<K extends DeskOperationId> = Part<K, 'response'>;
