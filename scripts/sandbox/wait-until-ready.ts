import { setTimeout as sleep } from 'node:timers/promises';

const READY_TIMEOUT_MS = 60_000;
/** Workers announce their offers at start, and the API reads them every two seconds. */
const OFFER_TIMEOUT_MS = 20_000;
const POLL_MS = 100;

/** A model that every machine can run: its engine needs no weights or programs. */
const PROBE_MODEL = 'landscape-painter';

/** Waits until the service responds. */
export async function waitUntilReady(baseUrl: string, isGivenUp: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  while (!isGivenUp()) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > deadlineMs) throw new Error(`the service is not ready after ${READY_TIMEOUT_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

/**
 * Waits until the API has read the offers of a worker: before that, a submit with the live key returns `unavailable`.
 * Returns false on timeout.
 */
export async function waitForOffer(
  baseUrl: string,
  options: { liveKey: string; isGivenUp: () => boolean },
): Promise<boolean> {
  const deadlineMs = Date.now() + OFFER_TIMEOUT_MS;
  while (!options.isGivenUp() && Date.now() < deadlineMs) {
    const answer = await fetch(`${baseUrl}/v1/quotes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${options.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ modelId: PROBE_MODEL, params: { prompt: 'mountains' } }),
    }).catch(() => null);
    const quote = (await answer?.json().catch(() => null)) as { quoteToken?: string | null } | null;
    if (typeof quote?.quoteToken === 'string') return true;
    await sleep(POLL_MS);
  }
  return false;
}
