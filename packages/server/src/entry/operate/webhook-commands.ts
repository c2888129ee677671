import { EVENT_TYPES } from '@atelier/contract';
import { ENDPOINT_EVENTS, type EndpointEvent } from '@atelier/contract/console';
import { listDeliveries } from '../../domain/webhooks/deliveries/list-deliveries.ts';
import { redeliver, redeliverFailed } from '../../domain/webhooks/deliveries/redeliver.ts';
import { sendTestEvent } from '../../domain/webhooks/deliveries/send-test-event.ts';
import { checkEndpointTarget } from '../../domain/webhooks/endpoints/check-endpoint.ts';
import { createEndpoint } from '../../domain/webhooks/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../domain/webhooks/endpoints/delete-endpoint.ts';
import { pauseEndpoint, resumeEndpoint } from '../../domain/webhooks/endpoints/pause-endpoint.ts';
import { listEndpoints } from '../../domain/webhooks/endpoints/read-endpoints.ts';
import { resealSecrets } from '../../domain/webhooks/endpoints/reseal-secrets.ts';
import { rotateSecret } from '../../domain/webhooks/endpoints/rotate-secret.ts';
import { updateEndpoint } from '../../domain/webhooks/endpoints/update-endpoint.ts';
import { systemClock } from '../../platform/clock.ts';
import { withTx } from '../../platform/db.ts';
import { createSafeFetch } from '../../platform/safe-fetch.ts';
import { createWake } from '../../queue/wake.ts';
import { readUrlPolicy } from '../read-url-policy.ts';
import { requireMasterKeys } from '../require-master-keys.ts';
import {
  given,
  need,
  needDate,
  needId,
  needOneOf,
  type OperatorCommand,
  type OperatorContext,
  readLimit,
  UsageError,
} from './operator-command.ts';

const endpoint = { 'account!': 'id of the account', 'endpoint!': 'id of the endpoint' };
const settings = {
  url: 'https address on the default port',
  events: `comma-separated: ${ENDPOINT_EVENTS.join(', ')}`,
  key: 'id of the one key whose generations it receives',
};

export const webhookCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'creates an endpoint and shows its secret once',
    options: { 'account!': 'id of the account', ...settings },
    async run(context) {
      const url = need(context, 'url');
      await requireMasterKeys(context);
      await askDns(context, url);
      const wanted = {
        accountId: needId(context, 'account'),
        url,
        events: events(context) ?? EVENT_TYPES,
        keyId: given(context, 'key', () => needId(context, 'key')) ?? null,
        actor: context.actor,
      };
      return withTx(context.db, (tx) =>
        createEndpoint(tx, { keys: context.keys, urlPolicy: readUrlPolicy(context.config) }, wanted),
      );
    },
  },
  list: {
    summary: "an account's endpoints",
    options: { 'account!': 'id of the account' },
    run: (context) => listEndpoints(context, needId(context, 'account')),
  },
  update: {
    summary: 'changes an endpoint; options not given stay unchanged',
    options: { ...endpoint, ...settings },
    async run(context) {
      const { url } = context.options;
      const key = given(context, 'key', () => needId(context, 'key'));
      if (url !== undefined) await askDns(context, url);
      const wanted = events(context);
      return withTx(context.db, (tx) =>
        updateEndpoint(
          tx,
          { urlPolicy: readUrlPolicy(context.config) },
          {
            ...named(context),
            ...(url === undefined ? {} : { url }),
            ...(wanted === undefined ? {} : { events: wanted }),
            ...(key === undefined ? {} : { keyId: key }),
          },
        ),
      );
    },
  },
  pause: {
    summary: 'pauses an endpoint',
    options: endpoint,
    run: (context) => withTx(context.db, (tx) => pauseEndpoint(tx, named(context))),
  },
  resume: {
    summary: 'resumes an endpoint',
    options: endpoint,
    run: (context) => withTx(context.db, (tx) => resumeEndpoint(tx, named(context))),
  },
  rotate: {
    summary: 'creates a new secret and shows it once; the old one stops working immediately',
    options: endpoint,
    async run(context) {
      await requireMasterKeys(context);
      return withTx(context.db, (tx) => rotateSecret(tx, { keys: context.keys }, named(context)));
    },
  },
  reseal: {
    summary:
      're-encrypts the secrets of all endpoints with the first MASTER_KEY; `master-key reseal` also does second factors',
    options: {},
    async run(context) {
      await requireMasterKeys(context);
      return resealSecrets(context, { actor: context.actor });
    },
  },
  delete: {
    summary: 'deletes an endpoint and stops its pending deliveries',
    options: endpoint,
    async run(context) {
      await withTx(context.db, (tx) => deleteEndpoint(tx, named(context)));
      return { deleted: needId(context, 'endpoint') };
    },
  },
  deliveries: {
    summary: 'lists recent deliveries with status codes and errors',
    options: { ...endpoint, limit: 'how many (default 30)' },
    run: (context) =>
      listDeliveries(context, {
        accountId: needId(context, 'account'),
        endpointId: needId(context, 'endpoint'),
        ...(context.options.limit === undefined ? {} : { limit: readLimit(context) }),
      }),
  },
  redeliver: {
    summary: 'redelivers one delivery, or all that failed, stopped or were held since a time',
    options: {
      'account!': 'id of the account',
      delivery: 'id of the delivery',
      endpoint: 'id of the endpoint, with --since',
      since: 'a date-time',
    },
    async run(context) {
      const services = { db: context.db, wake: createWake(context.db) };
      const accountId = needId(context, 'account');
      const delivery = given(context, 'delivery', () => needId(context, 'delivery'));
      if (delivery !== undefined) {
        await redeliver(services, { accountId, deliveryId: delivery, actor: context.actor });
        return { redelivered: 1 };
      }
      const since = needDate(context, 'since');
      return redeliverFailed(services, {
        accountId,
        endpointId: needId(context, 'endpoint'),
        since,
        actor: context.actor,
      });
    },
  },
  test: {
    summary: 'sends a test event',
    options: { ...endpoint, event: `one of ${ENDPOINT_EVENTS.join(', ')}` },
    async run(context) {
      const services = {
        db: context.db,
        wake: createWake(context.db),
        clock: systemClock,
        cdnUrl: context.config.cdnUrl,
      };
      const { deliveryId } = await sendTestEvent(services, {
        ...named(context),
        type: given(context, 'event', () => needOneOf(context, 'event', ENDPOINT_EVENTS)) ?? 'generation.succeeded',
      });
      return { deliveryId };
    },
  },
};

function named(context: OperatorContext) {
  return { accountId: needId(context, 'account'), endpointId: needId(context, 'endpoint'), actor: context.actor };
}

function events(context: OperatorContext): EndpointEvent[] | undefined {
  const wanted = context.options.events?.split(',') as EndpointEvent[] | undefined;
  const unknown = wanted?.find((each) => !ENDPOINT_EVENTS.includes(each));
  if (unknown !== undefined) throw new UsageError(`unknown event type ${unknown}`);
  return wanted;
}

/** Reports a mistyped or private address now rather than at the first delivery. */
async function askDns(context: OperatorContext, url: string): Promise<void> {
  const safeFetch = createSafeFetch(readUrlPolicy(context.config));
  try {
    await checkEndpointTarget({ safeFetch }, url);
  } finally {
    safeFetch.close();
  }
}
