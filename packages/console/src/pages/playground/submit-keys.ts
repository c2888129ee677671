const KEY_BYTES = 24;

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface SubmitKeys {
  /** The key for this body: the same one until the submit has an outcome. */
  keyFor(body: unknown): string;
  /** The submit has an outcome: the next one is another generation, also of the same form. */
  settle(): void;
}

/** One Idempotency-Key per submit: a person who presses again after no answer does not pay twice. */
export function createSubmitKeys(makeKey: () => string = randomKey): SubmitKeys {
  let open: { readonly body: string; readonly key: string } | null = null;
  return {
    keyFor(body) {
      const text = JSON.stringify(body);
      if (open === null || open.body !== text) open = { body: text, key: makeKey() };
      return open.key;
    },
    settle() {
      open = null;
    },
  };
}

const CONFLICT = 409;
const TOO_MANY = 429;

/** Whether the answer says that nothing was made. Without an answer, and after a server error, nobody knows. */
export const isRefusal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== CONFLICT && status !== TOO_MANY;
