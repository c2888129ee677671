import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/request.ts';

const LIVE_MS = 5_000;

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: () => request('GET /api/desk/overview'),
  refetchInterval: LIVE_MS,
});
export const accountsQuery = (search: string) =>
  queryOptions({
    queryKey: ['accounts', search],
    queryFn: () => request('GET /api/desk/accounts', { query: search === '' ? {} : { search } }),
  });
export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId],
    queryFn: () => request('GET /api/desk/accounts/{accountId}', { params: { accountId } }),
  });
export const modelsQuery = queryOptions({ queryKey: ['models'], queryFn: () => request('GET /api/desk/models') });
export const modelQuery = (modelId: string) =>
  queryOptions({
    queryKey: ['model', modelId],
    queryFn: () => request('GET /api/desk/models/{modelId}', { params: { modelId } }),
  });
export const switchesQuery = queryOptions({
  queryKey: ['switches'],
  queryFn: () => request('GET /api/desk/switches'),
});
export const failuresQuery = (code: string) =>
  queryOptions({
    queryKey: ['failures', code],
    queryFn: () => request('GET /api/desk/failures', { query: code === '' ? {} : { code } }),
  });
export const findQuery = (id: string) =>
  queryOptions({ queryKey: ['find', id], queryFn: () => request('GET /api/desk/find', { query: { id } }) });
/** Only when asked: the check reads much of the database. */
export const booksQuery = queryOptions({
  queryKey: ['books'],
  queryFn: () => request('GET /api/desk/books'),
  refetchOnWindowFocus: false,
});
