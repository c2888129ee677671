import type { ObjectStoreOptions } from '../../platform/object-store/create-object-store.ts';
import type { SettingName } from './settings.ts';

/** Requests without a body take less time. */
const MAX_READ_SECONDS = 10;
const KEYS = ['S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const;

interface Read {
  readonly text: (name: SettingName) => string;
  readonly integer: (name: SettingName) => number;
  readonly isEmpty: (name: SettingName) => boolean;
}

export function readObjectStore({ text, integer, isEmpty }: Read, errors: string[]): ObjectStoreOptions {
  const timeoutSeconds = integer('S3_TIMEOUT_SECONDS');
  if (text('OBJECT_STORE') === 'directory') return { driver: 'directory', path: text('OBJECT_STORE_PATH') };
  const endpoint = text('S3_ENDPOINT');
  const publicEndpoint = text('S3_PUBLIC_ENDPOINT');
  const [accessKey, secretKey] = [text('S3_ACCESS_KEY'), text('S3_SECRET_KEY')];
  // An empty key is a secret that got lost on its way here. It must not turn into the default chain by accident.
  for (const name of KEYS.filter(isEmpty)) {
    errors.push(`${name} is empty: set it, or set neither key to use the default credentials of the AWS SDK`);
  }
  if (!KEYS.some(isEmpty)) {
    if (accessKey !== '' && secretKey === '') errors.push('S3_ACCESS_KEY needs S3_SECRET_KEY');
    if (secretKey !== '' && accessKey === '') errors.push('S3_SECRET_KEY needs S3_ACCESS_KEY');
  }
  return {
    driver: 's3',
    ...(endpoint === '' ? {} : { endpoint }),
    ...(publicEndpoint === '' ? {} : { publicEndpoint }),
    region: text('S3_REGION'),
    bucket: text('S3_BUCKET'),
    ...(accessKey === '' ? {} : { accessKey, secretKey }),
    requestTimeoutMs: timeoutSeconds * 1000,
    readTimeoutMs: Math.min(timeoutSeconds, MAX_READ_SECONDS) * 1000,
  };
}
