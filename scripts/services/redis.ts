import { startDaemon, stopDaemon, waitUntilReady } from './daemon.ts';
import { findProgram } from './find-program.ts';
import { probeTcp } from './probe-tcp.ts';
import { type BackingServices, daemonMarker, daemonOf, logFile, recordPid } from './state.ts';

const READY_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 5_000;

export async function startRedis(services: BackingServices): Promise<void> {
  const port = services.ports.redis;
  const log = logFile(services, 'redis');
  const daemon = startDaemon({
    program: findProgram({ program: 'redis-server', debianPackage: 'redis-server' }),
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    marker: daemonMarker(services, 'redis'),
    logFile: log,
    cwd: services.dataDir,
  });
  recordPid(services, 'redis', daemon.pid);
  const probe = () => probeTcp({ port, send: 'PING\r\n', expect: '+PONG' });
  await waitUntilReady(daemon, { probe, timeoutMs: READY_TIMEOUT_MS, logFile: log });
}

export async function stopRedis(services: BackingServices): Promise<void> {
  const daemon = daemonOf(services, 'redis');
  if (daemon) await stopDaemon(daemon, { signal: 'SIGTERM', timeoutMs: STOP_TIMEOUT_MS });
  recordPid(services, 'redis', undefined);
}
