// Creates the bucket of compose.yaml, unless it exists.
import { readFileSync } from 'node:fs';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const {
  S3_ENDPOINT,
  S3_REGION = 'us-east-1',
  S3_BUCKET = 'atelier',
  S3_ACCESS_KEY_FILE,
  S3_SECRET_KEY_FILE,
} = process.env;
const client = new S3Client({
  endpoint: S3_ENDPOINT,
  region: S3_REGION,
  forcePathStyle: true,
  credentials: {
    accessKeyId: readFileSync(S3_ACCESS_KEY_FILE, 'utf8').trim(),
    secretAccessKey: readFileSync(S3_SECRET_KEY_FILE, 'utf8').trim(),
  },
});
const bucket = { Bucket: S3_BUCKET };
try {
  await client.send(new HeadBucketCommand(bucket));
  console.log(`bucket ${S3_BUCKET} exists`);
} catch {
  await client.send(new CreateBucketCommand(bucket));
  console.log(`bucket ${S3_BUCKET} created`);
}
