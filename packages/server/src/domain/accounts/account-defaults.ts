/** What a new account and key begin with where no setting says otherwise. */
export const DEFAULT_RUN_LIMIT = 4;
export const DEFAULT_ACCOUNT_RATE_LIMIT = 300;
export const DEFAULT_KEY_RATE_LIMIT = 120;
