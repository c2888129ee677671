import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { BackingServices } from '../services.ts';
import type { SandboxDatabase } from './create-sandbox-database.ts';

const catalog = fileURLToPath(new URL('../../catalog', import.meta.url));

/** Settings of a service on temporary services: webhooks can reach this machine, and every response is validated. */
export function sandboxEnv(options: {
  services: BackingServices;
  database: SandboxDatabase;
  cdnPort: number;
  bucket?: string;
  masterKey?: string;
}): Record<string, string> {
  const { services, database } = options;
  return {
    DATABASE_URL: database.appUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    REDIS_URL: services.redisUrl,
    MASTER_KEY: options.masterKey ?? randomBytes(32).toString('base64'),
    CDN_URL: `http://127.0.0.1:${options.cdnPort}`,
    S3_ENDPOINT: services.s3.endpoint,
    S3_REGION: services.s3.region,
    S3_BUCKET: options.bucket ?? services.s3.bucket,
    S3_ACCESS_KEY: services.s3.accessKey,
    S3_SECRET_KEY: services.s3.secretKey,
    CATALOG_DIR: catalog,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    CHECK_RESPONSES: 'true',
    LIST_EVERY_MODEL: 'true',
    LOG_LEVEL: 'warn',
    // Classifiers are optional, so that a sandbox without their weights offers all models. The floor blocks.
    SAFETY_PROMPT: 'flag',
    SAFETY_PICTURE: 'flag',
  };
}
