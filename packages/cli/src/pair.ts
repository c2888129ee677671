import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError, VERSION } from '@atelier/sdk';

const TIMEOUT_MS = 15_000;
const MAX_WAIT_SECONDS = 60;

export interface Wish {
  readonly deviceName: string;
  readonly scopes: readonly string[];
  readonly monthlySpendCapCoins: number | null;
}

export interface Pairing {
  readonly userCode: string;
  readonly deviceSecret: string;
  readonly pairUrl: string;
  readonly expiresAt: string;
  readonly intervalSeconds: number;
}

interface Paired {
  readonly apiUrl: string;
  readonly secret: string;
  readonly key: { readonly name: string; readonly mode: string };
}

/** Asks the console for a pairing: a code that a person enters there. */
export const startPairing = (consoleUrl: string, wish: Wish, signal: AbortSignal): Promise<Pairing> =>
  post<Pairing>(consoleUrl, '/api/pairings', wish, signal);

/** Waits until the person decides. Null if they deny it. The console sends the key once. */
export async function waitForKey(consoleUrl: string, pairing: Pairing, signal: AbortSignal): Promise<Paired | null> {
  const { deviceSecret, expiresAt } = pairing;
  const endsAtMs = Date.parse(expiresAt);
  let waitSeconds = pairing.intervalSeconds;
  for (;;) {
    await sleep(Math.min(waitSeconds, MAX_WAIT_SECONDS) * 1000, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
    waitSeconds = pairing.intervalSeconds;
    try {
      const answer = await post<({ status: 'approved' } & Paired) | { status: 'pending' | 'denied' }>(
        consoleUrl,
        '/api/pairings/redeem',
        { deviceSecret },
        signal,
      );
      if (answer.status === 'approved') return answer;
      if (answer.status === 'denied') return null;
    } catch (error) {
      if (!isTemporary(error) || Date.now() > endsAtMs) throw error;
      waitSeconds = Math.max(waitSeconds, (error as Partial<ApiError>).retryAfterSeconds ?? 0);
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

/** The console takes changes only from its own origin, with a header that no page of another site can add. */
async function post<T>(consoleUrl: string, path: string, body: unknown, signal: AbortSignal): Promise<T> {
  const url = new URL(path, consoleUrl);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        origin: url.origin,
        'user-agent': `atelier-cli/${VERSION}`,
        'x-atelier-console': '1',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answer = (await response.json().catch(() => null)) as (T & Partial<ApiError> & { instance?: string }) | null;
    if (response.ok && answer !== null) return answer;
    throw new ApiError({
      status: response.status,
      code: answer?.code ?? `http_${response.status}`,
      title: answer?.title ?? '',
      detail: answer?.detail ?? `${url.origin} is not the console of Atelier.`,
      issues: answer?.issues ?? [],
      requestId: answer?.instance ?? null,
      retryAfterSeconds: Number(response.headers.get('retry-after') ?? '') || null,
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (signal.aborted) throw signal.reason;
    throw new ConnectionError(`${url.origin} cannot be reached`, { cause: error });
  }
}
