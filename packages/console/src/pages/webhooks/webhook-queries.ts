import type { DeliveryStatus } from '@atelier/contract/console';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

const EVERY_MS = 5_000;
/** The newest page is read this often: attempts happen while the page is open. */
const DELIVERIES_EVERY_MS = 3_000;
export const PAGE_SIZE = 20;
/** How many deliveries the figures at the top of the page count. */
export const RECENT = 100;

export const endpointsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['endpoints', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/webhooks', { params: { accountId } }),
    refetchInterval: EVERY_MS,
  });

export interface EndpointPath {
  readonly accountId: string;
  readonly endpointId: string;
}

export const endpointQuery = (params: EndpointPath) =>
  queryOptions({
    queryKey: ['endpoint', params],
    queryFn: () => request('GET /api/accounts/{accountId}/webhooks/{endpointId}', { params: { ...params } }),
    refetchInterval: EVERY_MS,
  });

/** The beginning of the keys of all lists of deliveries of an endpoint. */
export const deliveriesKey = (params: EndpointPath) => ['deliveries', params];

export const deliveriesQuery = (params: EndpointPath, status: DeliveryStatus | 'all') =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey(params), status],
    queryFn: ({ pageParam }: { pageParam: string | null }) =>
      request('GET /api/accounts/{accountId}/webhooks/{endpointId}/deliveries', {
        params: { ...params },
        query: {
          limit: PAGE_SIZE,
          ...(status === 'all' ? {} : { status }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: DELIVERIES_EVERY_MS,
  });

export const recentDeliveriesQuery = (params: EndpointPath) =>
  queryOptions({
    queryKey: [...deliveriesKey(params), 'recent'],
    queryFn: () =>
      request('GET /api/accounts/{accountId}/webhooks/{endpointId}/deliveries', {
        params: { ...params },
        query: { limit: RECENT },
      }),
    refetchInterval: EVERY_MS,
  });

export const deliveryQuery = (params: { accountId: string; deliveryId: string }) =>
  queryOptions({
    queryKey: ['delivery', params],
    queryFn: () => request('GET /api/accounts/{accountId}/deliveries/{deliveryId}', { params: { ...params } }),
    refetchInterval: DELIVERIES_EVERY_MS,
  });
