import type { Endpoint } from '@atelier/contract/console';
import { sendTestEvent } from '../../../domain/webhooks/deliveries/send-test-event.ts';
import { checkEndpointTarget } from '../../../domain/webhooks/endpoints/check-endpoint.ts';
import { createEndpoint } from '../../../domain/webhooks/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../../domain/webhooks/endpoints/delete-endpoint.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../domain/webhooks/endpoints/pause-endpoint.ts';
import { getEndpoint, listEndpoints } from '../../../domain/webhooks/endpoints/read-endpoints.ts';
import { rotateSecret } from '../../../domain/webhooks/endpoints/rotate-secret.ts';
import { updateEndpoint } from '../../../domain/webhooks/endpoints/update-endpoint.ts';
import { explainEndpointSignature } from '../../../domain/webhooks/signatures/explain-endpoint-signature.ts';
import { withTx } from '../../../platform/db.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const endpointRoutes: ConsoleRoutes<
  | 'listEndpoints'
  | 'createEndpoint'
  | 'getEndpoint'
  | 'updateEndpoint'
  | 'deleteEndpoint'
  | 'pauseEndpoint'
  | 'resumeEndpoint'
  | 'rotateSecret'
  | 'sendTestEvent'
  | 'explainSignature'
> = {
  listEndpoints: async (services, { accountId }) => ({
    items: (await listEndpoints(services, accountId)).map(showEndpoint),
  }),

  async createEndpoint(services, { accountId, actor, body }) {
    await checkEndpointTarget(services, body.url);
    const { id, secret } = await withTx(services.db, (tx) =>
      createEndpoint(tx, services, { accountId, actor, ...body }),
    );
    return { endpoint: showEndpoint(await getEndpoint(services, { accountId, endpointId: id })), secret };
  },

  getEndpoint: async (services, { accountId, params }) =>
    showEndpoint(await getEndpoint(services, { accountId, endpointId: params.endpointId })),

  async updateEndpoint(services, { accountId, actor, params, body }) {
    if (body.url !== undefined) await checkEndpointTarget(services, body.url);
    const { endpointId } = params;
    return showEndpoint(
      await withTx(services.db, (tx) => updateEndpoint(tx, services, { accountId, endpointId, actor, ...body })),
    );
  },

  async deleteEndpoint(services, { accountId, actor, params: { endpointId } }) {
    await withTx(services.db, (tx) => deleteEndpoint(tx, { accountId, endpointId, actor }));
    return { deletedId: endpointId };
  },

  pauseEndpoint: async (services, { accountId, actor, params: { endpointId } }) =>
    showEndpoint(await withTx(services.db, (tx) => pauseEndpoint(tx, { accountId, endpointId, actor }))),

  resumeEndpoint: async (services, { accountId, actor, params: { endpointId } }) =>
    showEndpoint(await withTx(services.db, (tx) => resumeEndpoint(tx, { accountId, endpointId, actor }))),

  rotateSecret: (services, { accountId, actor, params: { endpointId } }) =>
    withTx(services.db, (tx) => rotateSecret(tx, services, { accountId, endpointId, actor })),

  async sendTestEvent(services, { accountId, actor, params: { endpointId }, body }) {
    const { deliveryId } = await sendTestEvent(services, { accountId, endpointId, actor, type: body.type });
    return { deliveryId };
  },

  explainSignature: (services, { accountId, params: { endpointId }, body }) =>
    explainEndpointSignature(services, { accountId, endpointId, ...body }),
};

function showEndpoint(row: Awaited<ReturnType<typeof getEndpoint>>): Endpoint {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    keyId: row.keyId,
    status: row.status === 'active' ? 'active' : 'paused',
    statusReason: row.statusReason,
    failingSince: row.failingSince?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
