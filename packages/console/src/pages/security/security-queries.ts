import { queryOptions } from '@tanstack/react-query';
import { getOwnSession, listPasskeys, listSessions } from '../../api/auth.ts';

export const ownSessionQuery = queryOptions({ queryKey: ['own-session'], queryFn: getOwnSession });
export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: listSessions });
export const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: listPasskeys });
