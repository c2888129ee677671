const KEPT_AS = 'atelier-account';

/** The account that was open last, so that the start page leads back to it. */
export const readLastAccount = (): string | null => localStorage.getItem(KEPT_AS);
export const keepLastAccount = (accountId: string): void => localStorage.setItem(KEPT_AS, accountId);
