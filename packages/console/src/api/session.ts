import type { Membership, Mode, Session } from '@atelier/contract/console';
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { request } from './request.ts';

const FRESH_MS = 60_000;

export const sessionQuery = queryOptions<Session>({
  queryKey: ['session'],
  queryFn: () => request('GET /api/session'),
  staleTime: FRESH_MS,
});

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

export interface CurrentAccount {
  readonly id: string;
  readonly mode: Mode;
  readonly membership: Membership;
  /** May create, change and spend. Others read. */
  readonly canBuild: boolean;
  /** May buy coins. */
  readonly canPay: boolean;
  /** May change members and the name of the account. */
  readonly isOwner: boolean;
}

export function findAccount(session: Session, accountId: string): CurrentAccount | null {
  for (const membership of session.memberships) {
    const mode = (['live', 'test'] as const).find((each) => membership.accountIds[each] === accountId);
    if (mode === undefined) continue;
    const canBuild = membership.role === 'owner' || membership.role === 'developer';
    const isOwner = membership.role === 'owner';
    return { id: accountId, mode, membership, canBuild, canPay: isOwner || membership.role === 'billing', isOwner };
  }
  return null;
}

/** The account in the address. Its route has checked that the person belongs to it. */
export function useAccount(): CurrentAccount {
  const { accountId } = useParams({ strict: false });
  const account = findAccount(useSession(), accountId ?? '');
  if (account === null) throw new Error('No account in the address');
  return account;
}

/** Base URL of the public API, whose host also serves the pages of problems. Null before the sign-in. */
export function useSessionApiUrl(): string | null {
  return useQuery({ ...sessionQuery, enabled: false }).data?.apiUrl ?? null;
}
