import type { Figures } from './bench.ts';

/** A figure of a bench and the limit it is compared with. */
export interface Bar {
  readonly path: string;
  readonly bench: string;
  /** Names of figures of the bench. `value` is compared with the limit. */
  readonly value: string;
  readonly ours?: string;
  readonly baseline?: string;
  /** Only for figures that are not ratios. */
  readonly unit?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const rates = { ours: 'ourRate', baseline: 'bareRate', value: 'ratio' } as const;

/** What `npm run bench -- all` measures and prints, in this order. A row without a limit is printed only. */
export const bars: readonly Bar[] = [
  { path: 'run / pg-boss, one row committed per job', bench: 'run', ...rates, atLeast: 0.5 },
  {
    path: 'run / the same rows, one commit each',
    bench: 'run',
    ours: 'ourRate',
    baseline: 'rowsRate',
    value: 'rowsRatio',
    atLeast: 1,
  },
  {
    path: 'run / the same rows, committed in batches',
    bench: 'run',
    ours: 'ourRate',
    baseline: 'batchedRowsRate',
    value: 'batchedRowsRatio',
    atLeast: 0.6,
  },
  { path: 'run: WAL per generation', bench: 'run', value: 'walBytes', unit: 'bytes' },
  { path: 'run: PostgreSQL CPU per generation', bench: 'run', value: 'postgresMicroseconds', unit: 'us' },
  { path: 'submit / the same SQL', bench: 'submit', ...rates, atLeast: 0.8 },
  { path: 'submit, traced / not traced', bench: 'trace', ...rates },
  { path: 'submit, traced / not traced: CPU of the API', bench: 'trace', value: 'cpuRatio' },
  { path: 'HTTP entry / bare Fastify', bench: 'door', ...rates, atLeast: 0.55 },
  {
    path: 'HTTP entry: p99 added at half load',
    bench: 'door',
    ours: 'ourP99Ms',
    baseline: 'bareP99Ms',
    value: 'addedP99Ms',
    unit: 'ms',
    atMost: 3,
  },
  {
    path: 'get by id / bare Fastify, same query',
    bench: 'read',
    ours: 'getRate',
    baseline: 'bareGetRate',
    value: 'getRatio',
    atLeast: 0.5,
  },
  {
    path: 'list page / bare Fastify, same query',
    bench: 'read',
    ours: 'listRate',
    baseline: 'bareListRate',
    value: 'listRatio',
    atLeast: 0.5,
  },
  { path: 'webhooks / bare loop', bench: 'webhooks', ...rates, atLeast: 0.5 },
  {
    path: 'upload / SDK (MB/s)',
    bench: 'upload',
    ours: 'servedMbps',
    baseline: 'straightMbps',
    value: 'ratio',
    atLeast: 0.7,
  },
  {
    path: 'download by proxy / SDK (MB/s)',
    bench: 'download',
    ours: 'servedMbps',
    baseline: 'straightMbps',
    value: 'ratio',
    atLeast: 0.65,
  },
  {
    path: 'download by redirect / SDK (MB/s)',
    bench: 'download',
    ours: 'redirectMbps',
    baseline: 'straightMbps',
    value: 'redirectRatio',
    atLeast: 0.95,
  },
  {
    path: 'download by nginx edge / SDK (MB/s)',
    bench: 'download',
    ours: 'edgeMbps',
    baseline: 'straightMbps',
    value: 'edgeRatio',
    atLeast: 0.95,
  },
  {
    path: 'statements at 1 M rows / 10 k rows, worst',
    bench: 'growth',
    value: 'worstRatio',
    atMost: 1.2,
  },
  { path: 'statements at 1 M rows, slowest', bench: 'growth', value: 'slowestMs', unit: 'ms', atMost: 5 },
  { path: 'lone generation without a file, p50', bench: 'lone', value: 'p50Ms', unit: 'ms', atMost: 25 },
  { path: 'lone generation with an image, p50', bench: 'lone', value: 'imageP50Ms', unit: 'ms', atMost: 25 },
  {
    path: 'console: slowest interaction, 10,000 generations',
    bench: 'console',
    value: 'slowestMs',
    unit: 'ms',
    atMost: 200,
  },
];

export interface BarResult {
  readonly path: string;
  readonly ours: number | null;
  readonly baseline: number | null;
  /** Null if the bench did not return it. */
  readonly value: number | null;
  readonly unit: string | null;
  readonly bar: string | null;
  readonly met: boolean | null;
}

export function checkBar(row: Bar, figures: Figures): BarResult {
  const read = (name: string | undefined) => (name === undefined ? null : (figures[name] ?? null));
  const value = read(row.value);
  const limited = row.atLeast !== undefined || row.atMost !== undefined;
  return {
    path: row.path,
    ours: read(row.ours),
    baseline: read(row.baseline),
    value,
    unit: row.unit ?? null,
    bar: limited ? describeLimit(row) : null,
    met: value === null || !limited ? null : value >= (row.atLeast ?? -Infinity) && value <= (row.atMost ?? Infinity),
  };
}

const describeLimit = ({ atLeast, atMost }: Bar) => (atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`);

/** The results as a table for a terminal. */
export function renderBars(results: readonly BarResult[]): string {
  const lines = [
    ['path', 'ours', 'baseline', 'ratio', 'bar', ''],
    ...results.map((row) => [
      row.path,
      showNumber(row.ours),
      showNumber(row.baseline),
      row.value === null ? '-' : `${showNumber(row.value)}${row.unit === null ? '' : ` ${row.unit}`}`,
      row.bar ?? '-',
      describeOutcome(row),
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length))) ?? [];
  return lines
    .map((line) => line.map((text, n) => (n === 0 ? text.padEnd(widths[n] ?? 0) : text.padStart(widths[n] ?? 0))))
    .map((line) => line.join('  '))
    .join('\n');
}

function describeOutcome(row: BarResult): string {
  if (row.value === null) return 'NOT MEASURED';
  if (row.met === null) return '';
  return row.met ? 'met' : 'MISSED';
}

function showNumber(value: number | null): string {
  if (value === null) return '-';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
