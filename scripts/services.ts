/** Temporary PostgreSQL, Redis and S3 (Ceph) for development and tests. */
import { parseArgs } from 'node:util';
import { currentDir, readServices } from './services/read-services.ts';
import { startServices } from './services/start-services.ts';
import { type BackingServices, DAEMONS, isDaemonRunning, loadState, stateFile } from './services/state.ts';
import { stopServices } from './services/stop-services.ts';

export {
  restartPostgres,
  startPostgres,
  startRedis,
  startS3,
  stopPostgres,
  stopRedis,
  stopS3,
} from './services/faults.ts';
export { type BackingServices, readServices, startServices, stopServices };

const HELP = `Usage: npm run services -- <up|down|status> [--json] [--dir DIR]

  up      start PostgreSQL, Redis and S3 on free ports of 127.0.0.1, unless they are already running
  down    stop them and remove their data
  status  show what is running; exit status 1 unless all are

  --json      print services.json instead of a table
  --dir DIR   keep state and data in DIR (default: the folder of $ATELIER_SERVICES_FILE, else .services)

Addresses, keys and process ids are written to services.json in that folder.
`;

function describe(services: BackingServices): string {
  const rows = [
    ['postgres', services.postgresUrl, ['postgres']],
    ['redis', services.redisUrl, ['redis']],
    ['s3', `${services.s3.endpoint}/${services.s3.bucket}`, ['radosgw', 'cephOsd', 'cephMon']],
  ] as const;
  const lines = rows.map(([name, address, daemons]) => {
    const up = daemons.every((daemon) => isDaemonRunning(services, daemon));
    const pids = daemons.map((daemon) => services.pids[daemon] ?? '-').join(' ');
    return [name.padEnd(9), (up ? 'up' : 'down').padEnd(5), address.padEnd(46), `pid ${pids}`].join(' ');
  });
  return `${lines.join('\n')}\nstate     ${stateFile(services.dir)}\n`;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, dir: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const [command, ...rest] = positionals;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const dir = values.dir ?? currentDir();
  const print = (services: BackingServices) =>
    process.stdout.write(values.json ? `${JSON.stringify(services, null, 2)}\n` : describe(services));

  if (rest.length === 0 && command === 'up') {
    const running = readServices({ dir });
    const startedAt = performance.now();
    const services = running ?? (await startServices({ dir }));
    print(services);
    if (!values.json) {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      process.stdout.write(running ? 'already running\n' : `ready in ${seconds} s\n`);
    }
    return 0;
  }
  if (rest.length === 0 && command === 'down') {
    const stopped = await stopServices({ dir });
    process.stdout.write(stopped ? 'stopped, data removed\n' : 'nothing was running\n');
    return 0;
  }
  if (rest.length === 0 && command === 'status') {
    const services = loadState(stateFile(dir));
    if (services) print(services);
    else process.stdout.write(values.json ? 'null\n' : 'nothing is running\n');
    return services?.readyAt && DAEMONS.every((name) => isDaemonRunning(services, name)) ? 0 : 1;
  }
  process.stderr.write(HELP);
  return 2;
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`services: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
