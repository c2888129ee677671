import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

export const membersQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['members', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/members', { params: { accountId } }),
  });

export const invitationsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['invitations', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/invitations', { params: { accountId } }),
  });
