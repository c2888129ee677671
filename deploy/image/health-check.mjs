// The health check of every role, run inside the container: the process must be ready (all its roles are up), and the port that its users
// connect to must answer. The role is the argument of the first process, unless one is given.
import { readFileSync } from 'node:fs';

const TIMEOUT_MS = 4_000;
const CLIENT_PORTS = {
  api: ['PORT'],
  cdn: ['CDN_PORT'],
  console: ['CONSOLE_PORT'],
  desk: ['DESK_PORT'],
  worker: [],
  all: ['PORT', 'CDN_PORT', 'CONSOLE_PORT'],
};

const role = process.argv[2] ?? readRole();
const ports = CLIENT_PORTS[role];
if (ports === undefined) {
  console.error(`no health check for ${role}`);
  process.exit(1);
}

const checks = [['METRICS_PORT', '/readyz'], ...ports.map((name) => [name, '/healthz'])].map(async ([name, path]) => {
  const response = await fetch(`http://127.0.0.1:${process.env[name]}${path}`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} of ${name}: ${response.status} ${text.slice(0, 500)}`);
});
try {
  await Promise.all(checks);
  process.exit(0);
} catch (error) {
  console.error(`${role} is not ready: ${error.cause?.code ?? error.message}`);
  process.exit(1);
}

function readRole() {
  const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
  return words[words.findIndex((word) => word.endsWith('main.ts')) + 1];
}
