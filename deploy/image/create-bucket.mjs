// Creates the bucket, unless it exists. Secrets come from files, as in compose.yaml, or from the environment.
import { readFileSync } from 'node:fs';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_ENDPOINT, S3_REGION = 'us-east-1', S3_BUCKET = 'atelier' } = process.env;
const readSecret = (name) => {
  const file = process.env[`${name}_FILE`];
  const value = (file === undefined ? process.env[name] : readFileSync(file, 'utf8').trim()) ?? '';
  if (value !== '') return value;
  console.error(`${name} is not set`);
  process.exit(1);
};
const client = new S3Client({
  endpoint: S3_ENDPOINT,
  region: S3_REGION,
  forcePathStyle: true,
  credentials: {
    accessKeyId: readSecret('S3_ACCESS_KEY'),
    secretAccessKey: readSecret('S3_SECRET_KEY'),
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
