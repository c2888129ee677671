import { setTimeout as sleep } from 'node:timers/promises';

const READY_TIMEOUT_MS = 60_000;
/** Workers tell what they offer when they start, and the API reads it every two seconds. */
const OFFER_TIMEOUT_MS = 20_000;
const POLL_MS = 100;

/** A model that every machine can run: its engine needs neither weights nor programs. */
const PROBE_MODEL = 'landscape-painter';

/** Waits until the service answers. */
export async function waitUntilReady(baseUrl: string, isGivenUp: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  while (!isGivenUp()) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > deadlineMs) throw new Error(`the service was not ready within ${READY_TIMEOUT_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

/**
 * Waits until the API knows what a worker offers: before that, a submit with the live key is refused as unavailable. Answers
 * whether it came to that in time.
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
