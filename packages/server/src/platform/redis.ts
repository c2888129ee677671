import { Redis } from 'ioredis';

export interface RedisOptions {
  readonly url: string;
  readonly onError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 1_000;

/** Redis holds only rate-limit windows. A command fails immediately when Redis is unavailable; the caller falls back to a local limit. */
export function createRedis(options: RedisOptions): Redis {
  const redis = new Redis(options.url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: false,
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS),
  });
  redis.on('error', (error: Error) => options.onError?.(error));
  return redis;
}
