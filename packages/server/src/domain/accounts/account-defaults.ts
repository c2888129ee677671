/** Defaults for new accounts and keys. */
export const DEFAULT_RUN_LIMIT = 4;
export const DEFAULT_ACCOUNT_RATE_LIMIT = 300;
export const DEFAULT_KEY_RATE_LIMIT = 120;
