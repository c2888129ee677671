import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cephConf } from './ceph-conf.ts';
import { type Daemon, startDaemon, stopDaemon, waitUntilReady } from './daemon.ts';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';
import {
  type BackingServices,
  cephConfFile,
  cephDir,
  type DaemonName,
  daemonMarker,
  daemonOf,
  logFile,
  recordPid,
} from './state.ts';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const BUCKET_TRIES = 40;
const BUCKET_RETRY_MS = 250;

const PACKAGES = {
  'ceph-mon': 'ceph-mon',
  monmaptool: 'ceph-base',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
  radosgw: 'radosgw',
  'radosgw-admin': 'ceph-common',
};
type CephProgram = keyof typeof PACKAGES;

function findCephProgram(program: CephProgram): string {
  return findProgram({ program, debianPackage: PACKAGES[program] });
}

/** Starts a new cluster with one user and a gateway. */
export async function startCeph(services: BackingServices): Promise<void> {
  const dir = cephDir(services);
  const conf = cephConf(services);
  for (const name of ['', 'mon', 'osd']) mkdirSync(join(dir, name));
  writeFileSync(cephConfFile(services), conf.text);
  const run = (program: CephProgram, ...args: string[]) =>
    runProgram(findCephProgram(program), ['-c', cephConfFile(services), ...args], { cwd: dir });

  const map = join(dir, 'monmap');
  const address = `[v2:127.0.0.1:${services.ports.cephMon}]`;
  await run('monmaptool', '--create', '--fsid', conf.fsid, '--addv', 'a', address, map);
  await run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map);
  startCephDaemon(services, { name: 'cephMon', program: 'ceph-mon', args: ['-i', 'a'] });

  const uuid = randomUUID();
  // This command waits for the monitor.
  await run('ceph', '--connect-timeout', '20', 'osd', 'new', uuid);
  await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', uuid);
  startCephDaemon(services, { name: 'cephOsd', program: 'ceph-osd', args: ['-i', '0'] });

  const { accessKey, secretKey } = services.s3;
  const keys = [`--access-key=${accessKey}`, `--secret-key=${secretKey}`];
  // This command waits for the OSD.
  await run('radosgw-admin', 'user', 'create', '--uid=atelier', '--display-name=atelier', ...keys);
  await startGateway(services);
}

function startCephDaemon(
  services: BackingServices,
  options: { name: DaemonName; program: CephProgram; args: string[] },
): Daemon {
  const daemon = startDaemon({
    program: findCephProgram(options.program),
    args: ['-f', '-c', cephConfFile(services), ...options.args],
    marker: daemonMarker(services, options.name),
    logFile: logFile(services, options.name),
    cwd: cephDir(services),
  });
  recordPid(services, options.name, daemon.pid);
  return daemon;
}

export async function startGateway(services: BackingServices): Promise<void> {
  const daemon = startCephDaemon(services, { name: 'radosgw', program: 'radosgw', args: ['-n', 'client.rgw.a'] });
  const probe = () =>
    fetch(services.s3.endpoint, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  await waitUntilReady(daemon, { probe, timeoutMs: READY_TIMEOUT_MS, logFile: logFile(services, 'radosgw') });
}

/** The OSD keeps the files, so a restarted gateway serves them. */
export async function stopGateway(services: BackingServices): Promise<void> {
  const daemon = daemonOf(services, 'radosgw');
  if (daemon) await stopDaemon(daemon, { signal: 'SIGKILL', timeoutMs: STOP_TIMEOUT_MS });
  recordPid(services, 'radosgw', undefined);
}

/** Also writes and deletes an object: the gateway creates its pools at the first write, which takes a second. */
export async function createBucket(services: BackingServices): Promise<void> {
  const { S3Client, CreateBucketCommand, PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3');
  const { endpoint, region, accessKey, secretKey, bucket } = services.s3;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // The gateway does not support the trailing checksums that the client sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const object = { Bucket: bucket, Key: '.warm-up' };
  try {
    for (let n = 1; ; n++) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: bucket }));
        await client.send(new PutObjectCommand({ ...object, Body: 'x' }));
        await client.send(new DeleteObjectCommand(object));
        return;
      } catch (error) {
        if (n === BUCKET_TRIES) throw error;
        await sleep(BUCKET_RETRY_MS);
      }
    }
  } finally {
    client.destroy();
  }
}
