import { S3Client } from '@aws-sdk/client-s3';
import type { BackingServices } from '../../scripts/services.ts';

/** The AWS SDK on the same bucket, as the baseline; without checksums that the service does not compute. */
export function openBucket({ s3 }: BackingServices): S3Client {
  return new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
