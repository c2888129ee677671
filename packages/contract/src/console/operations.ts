import Type, { type Static, type TSchema } from 'typebox';
import { Closed } from '../building-blocks.ts';
import { authorizationOperations } from './authorization-operations.ts';
import { ListRecentEventsQuery, RecentEventPage } from './events.ts';
import { ConsoleKey, ConsoleKeyList, CreatedKey, CreateKeyBody, UpdateKeyBody } from './keys.ts';
import {
  AcceptedInvitation,
  AcceptInvitationBody,
  CreateInvitationBody,
  InvitationList,
  MemberList,
  SentInvitation,
  SetMemberRoleBody,
} from './members.ts';
import { moneyOperations } from './money-operations.ts';
import {
  BUILDERS,
  type ConsoleOperationRow,
  changes,
  changesFresh,
  EVERYONE,
  Id,
  OfAccount,
  OWNERS,
  reads,
  signedIn,
} from './operation-row.ts';
import { pairingOperations } from './pairing-operations.ts';
import { AccountSettings, Session, SignInOptions, UpdateAccountBody } from './session.ts';
import {
  CreatedEndpoint,
  CreateEndpointBody,
  DeliveryDetail,
  DeliveryPage,
  Endpoint,
  EndpointList,
  ExplainedSignature,
  ExplainSignatureBody,
  ListDeliveriesQuery,
  RedeliveredFailed,
  RedeliverFailedBody,
  RotatedSecret,
  SentTestEvent,
  TestEventBody,
  UpdateEndpointBody,
} from './webhooks.ts';

const OfKey = Type.Object({ accountId: Id, keyId: Id });
const OfEndpoint = Type.Object({ accountId: Id, endpointId: Id });
const OfMember = Type.Object({ accountId: Id, personId: Id });
const OfInvitation = Type.Object({ accountId: Id, invitationId: Id });
const OfDelivery = Type.Object({ accountId: Id, deliveryId: Id });

const MEMBERS = '/api/accounts/{accountId}/members';
const INVITATIONS = '/api/accounts/{accountId}/invitations';
const KEYS = '/api/accounts/{accountId}/keys';
const WEBHOOKS = '/api/accounts/{accountId}/webhooks';
const DELIVERIES = '/api/accounts/{accountId}/deliveries';

/** The operations of the console: for signed-in people, on the console's own listener. */
export const consoleOperations = {
  getSession: {
    method: 'GET',
    path: '/api/session',
    summary: 'Get the signed-in person and their accounts',
    roles: null,
    response: Session,
    status: 200,
    problems: signedIn,
  },

  getSignIn: {
    method: 'GET',
    path: '/api/sign-in',
    summary: 'Get the ways to sign in',
    roles: null,
    public: true,
    response: SignInOptions,
    status: 200,
    problems: ['invalid_params'],
  },

  updateAccount: {
    method: 'PATCH',
    path: '/api/accounts/{accountId}/settings',
    summary: 'Rename the account, live and test',
    roles: OWNERS,
    params: OfAccount,
    body: UpdateAccountBody,
    response: AccountSettings,
    status: 200,
    problems: changes,
  },

  acceptInvitation: {
    method: 'POST',
    path: '/api/invitations/accept',
    summary: 'Accept an invitation that was sent to the address of the signed-in person',
    roles: null,
    body: AcceptInvitationBody,
    response: AcceptedInvitation,
    status: 200,
    problems: [...signedIn, 'rate_limited', 'not_found', 'cross_site_request'],
  },

  listMembers: {
    method: 'GET',
    path: MEMBERS,
    summary: 'List the members of the account',
    roles: EVERYONE,
    params: OfAccount,
    response: MemberList,
    status: 200,
    problems: reads,
  },
  setMemberRole: {
    method: 'PATCH',
    path: `${MEMBERS}/{personId}`,
    summary: 'Change the role of a member',
    roles: OWNERS,
    fresh: true,
    params: OfMember,
    body: SetMemberRoleBody,
    response: MemberList,
    status: 200,
    problems: changesFresh,
  },
  removeMember: {
    method: 'DELETE',
    path: `${MEMBERS}/{personId}`,
    summary: 'Remove a member',
    roles: OWNERS,
    params: OfMember,
    response: MemberList,
    status: 200,
    problems: changes,
  },
  listInvitations: {
    method: 'GET',
    path: INVITATIONS,
    summary: 'List open invitations',
    roles: OWNERS,
    params: OfAccount,
    response: InvitationList,
    status: 200,
    problems: [...reads, 'role_required'],
  },
  createInvitation: {
    method: 'POST',
    path: INVITATIONS,
    summary: 'Invite a person by mail; an earlier invitation of the same address ends',
    roles: OWNERS,
    fresh: true,
    params: OfAccount,
    body: CreateInvitationBody,
    response: SentInvitation,
    status: 201,
    problems: changesFresh,
  },
  revokeInvitation: {
    method: 'DELETE',
    path: `${INVITATIONS}/{invitationId}`,
    summary: 'Withdraw an invitation',
    roles: OWNERS,
    params: OfInvitation,
    response: Type.Object({ revokedId: Id }, Closed),
    status: 200,
    problems: changes,
  },

  listKeys: {
    method: 'GET',
    path: KEYS,
    summary: 'List API keys',
    roles: EVERYONE,
    params: OfAccount,
    response: ConsoleKeyList,
    status: 200,
    problems: reads,
  },
  createKey: {
    method: 'POST',
    path: KEYS,
    summary: 'Create an API key',
    roles: BUILDERS,
    fresh: true,
    params: OfAccount,
    body: CreateKeyBody,
    response: CreatedKey,
    status: 201,
    problems: changesFresh,
  },
  updateKey: {
    method: 'PATCH',
    path: `${KEYS}/{keyId}`,
    summary: 'Change the name, scopes, cap or expiry of an API key',
    roles: BUILDERS,
    params: OfKey,
    body: UpdateKeyBody,
    response: ConsoleKey,
    status: 200,
    problems: changes,
  },
  revokeKey: {
    method: 'POST',
    path: `${KEYS}/{keyId}/revoke`,
    summary: 'Revoke an API key',
    roles: BUILDERS,
    params: OfKey,
    response: ConsoleKey,
    status: 200,
    problems: changes,
  },

  listEndpoints: {
    method: 'GET',
    path: WEBHOOKS,
    summary: 'List webhook endpoints',
    roles: EVERYONE,
    params: OfAccount,
    response: EndpointList,
    status: 200,
    problems: reads,
  },
  createEndpoint: {
    method: 'POST',
    path: WEBHOOKS,
    summary: 'Add a webhook endpoint',
    roles: BUILDERS,
    fresh: true,
    params: OfAccount,
    body: CreateEndpointBody,
    response: CreatedEndpoint,
    status: 201,
    problems: changesFresh,
  },
  getEndpoint: {
    method: 'GET',
    path: `${WEBHOOKS}/{endpointId}`,
    summary: 'Get a webhook endpoint',
    roles: EVERYONE,
    params: OfEndpoint,
    response: Endpoint,
    status: 200,
    problems: reads,
  },
  updateEndpoint: {
    method: 'PATCH',
    path: `${WEBHOOKS}/{endpointId}`,
    summary: 'Change the address, events or key of a webhook endpoint',
    roles: BUILDERS,
    fresh: true,
    params: OfEndpoint,
    body: UpdateEndpointBody,
    response: Endpoint,
    status: 200,
    problems: changesFresh,
  },
  deleteEndpoint: {
    method: 'DELETE',
    path: `${WEBHOOKS}/{endpointId}`,
    summary: 'Delete a webhook endpoint and stop its deliveries',
    roles: BUILDERS,
    params: OfEndpoint,
    response: Type.Object({ deletedId: Id }, Closed),
    status: 200,
    problems: changes,
  },
  pauseEndpoint: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/pause`,
    summary: 'Pause a webhook endpoint: new events are held',
    roles: BUILDERS,
    params: OfEndpoint,
    response: Endpoint,
    status: 200,
    problems: changes,
  },
  resumeEndpoint: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/resume`,
    summary: 'Resume a webhook endpoint',
    roles: BUILDERS,
    params: OfEndpoint,
    response: Endpoint,
    status: 200,
    problems: changes,
  },
  rotateSecret: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/rotate-secret`,
    summary: 'Replace the signing secret: the old one stops working immediately',
    roles: BUILDERS,
    fresh: true,
    params: OfEndpoint,
    response: RotatedSecret,
    status: 200,
    problems: changesFresh,
  },
  sendTestEvent: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/test`,
    summary: 'Send a test event',
    roles: BUILDERS,
    params: OfEndpoint,
    body: TestEventBody,
    response: SentTestEvent,
    status: 201,
    problems: changes,
  },
  explainSignature: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/explain-signature`,
    summary: 'Explain why a receiver refuses a signature',
    roles: BUILDERS,
    fresh: true,
    params: OfEndpoint,
    body: ExplainSignatureBody,
    response: ExplainedSignature,
    status: 200,
    problems: changesFresh,
  },

  listDeliveries: {
    method: 'GET',
    path: `${WEBHOOKS}/{endpointId}/deliveries`,
    summary: 'List the deliveries of a webhook endpoint',
    roles: EVERYONE,
    params: OfEndpoint,
    query: ListDeliveriesQuery,
    response: DeliveryPage,
    status: 200,
    problems: reads,
  },
  redeliverFailed: {
    method: 'POST',
    path: `${WEBHOOKS}/{endpointId}/redeliver`,
    summary: 'Redeliver everything that failed since a time',
    roles: BUILDERS,
    params: OfEndpoint,
    body: RedeliverFailedBody,
    response: RedeliveredFailed,
    status: 200,
    problems: changes,
  },
  getDelivery: {
    method: 'GET',
    path: `${DELIVERIES}/{deliveryId}`,
    summary: 'Get a delivery with its request and responses',
    roles: EVERYONE,
    params: OfDelivery,
    response: DeliveryDetail,
    status: 200,
    problems: reads,
  },
  redeliver: {
    method: 'POST',
    path: `${DELIVERIES}/{deliveryId}/redeliver`,
    summary: 'Send a delivery again',
    roles: BUILDERS,
    params: OfDelivery,
    response: DeliveryDetail,
    status: 200,
    problems: changes,
  },

  listRecentEvents: {
    method: 'GET',
    path: '/api/accounts/{accountId}/events',
    summary: 'List events, newest first',
    roles: EVERYONE,
    params: OfAccount,
    query: ListRecentEventsQuery,
    response: RecentEventPage,
    status: 200,
    problems: reads,
  },

  ...moneyOperations,
  ...authorizationOperations,
  ...pairingOperations,
} as const satisfies Record<string, ConsoleOperationRow>;

export type ConsoleOperationId = keyof typeof consoleOperations;
export type ConsoleOperation<K extends ConsoleOperationId = ConsoleOperationId> = (typeof consoleOperations)[K];

/** The type of a part of a row; undefined if the row has no such part. */
type Part<K extends ConsoleOperationId, M extends string> =
  ConsoleOperation<K> extends { readonly [P in M]: infer S extends TSchema } ? Static<S> : undefined;
export type ConsoleParams<K extends ConsoleOperationId> = Part<K, 'params'>;
export type ConsoleQuery<K extends ConsoleOperationId> = Part<K, 'query'>;
export type ConsoleBody<K extends ConsoleOperationId> = Part<K, 'body'>;
export type ConsoleResponse<K extends ConsoleOperationId> = Part<K, 'response'>;
