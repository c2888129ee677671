import { ENDPOINT_EVENTS, type EndpointEvent } from '@atelier/contract/console';
import type { Tx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { checkEndpointUrl } from '../../../platform/safe-fetch/check-url.ts';
import { EgressError } from '../../../platform/safe-fetch/egress-error.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { isKeyOfAccount } from './endpoints.store.ts';

export interface UrlPolicy {
  readonly allowHttp: boolean;
  readonly allowCidrs: readonly string[];
  readonly ownHosts: readonly string[];
}

export interface EndpointSettings {
  readonly url: string;
  readonly events: readonly EndpointEvent[];
  readonly keyId: string | null;
}

/** Checks the settings of an endpoint without the network. The resolved addresses are checked at every connect. */
export async function checkEndpoint(
  tx: Tx,
  urlPolicy: UrlPolicy,
  endpoint: EndpointSettings & { accountId: string },
): Promise<EndpointSettings> {
  const checked = checkEndpointUrl(endpoint.url, urlPolicy);
  if (!checked.ok) refuse('url', checked.reason);
  const events = ENDPOINT_EVENTS.filter((type) => endpoint.events.includes(type));
  if (events.length === 0) refuse('events', 'At least one event type is required.');
  const { accountId, keyId } = endpoint;
  if (keyId !== null && !(await isKeyOfAccount(tx, { accountId, keyId }))) refuse('keyId', 'There is no such key.');
  return { url: endpoint.url, events, keyId };
}

function refuse(path: string, message: string): never {
  throw new Problem('invalid_params', `Invalid endpoint: ${message}`, { issues: [{ path, message }] });
}

/**
 * Resolves the host, so that a mistyped or private address is refused when it is saved, not at the first delivery. Runs
 * before the transaction that saves, never inside it.
 */
export async function checkEndpointTarget(services: { safeFetch: SafeFetch }, url: string): Promise<void> {
  try {
    await services.safeFetch.checkTarget(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new Problem('invalid_params', `Invalid endpoint: ${error.message}`, {
      issues: [{ path: 'url', message: error.message }],
    });
  }
}
