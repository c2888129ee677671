import { findAccount, useSession } from '../api/session.ts';
import { useText } from '../text/use-text.ts';
import { readLastAccount } from './last-account.ts';

/** The accounts in which the person may create keys, and the one to start with: that of the last visit, if it is among them. */
export function useBuildAccounts() {
  const { shell } = useText();
  const session = useSession();
  const choices = session.memberships
    .flatMap(({ name, accountIds }) =>
      (['live', 'test'] as const).map((mode) => ({ value: accountIds[mode], label: `${name} · ${shell[mode]}` })),
    )
    .filter(({ value }) => findAccount(session, value)?.canBuild === true);
  const last = readLastAccount();
  const first = choices.find(({ value }) => value === last) ?? choices[0];
  return { choices, first: first?.value ?? '' };
}
