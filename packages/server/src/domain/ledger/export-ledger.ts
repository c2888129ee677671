import { type ExportFormat, MAX_EXPORT_ROWS, type Transfer } from '@atelier/contract/console';
import type { Services } from '../services.ts';
import { findLedgerRows } from './ledger.store.ts';
import { showTransfer } from './list-ledger.ts';

const BATCH = 1_000;
/** A client that reads slower than this gets a broken file, which it can see. */
const MAX_MS = 300_000;
const COLUMNS = [
  'id',
  'createdAt',
  'kind',
  'availableChange',
  'heldChange',
  'generationId',
  'modelName',
  'projectId',
  'reference',
] as const satisfies ReadonlyArray<keyof Transfer>;

interface Export {
  readonly accountId: string;
  readonly format: ExportFormat;
  /** Only transfers with a smaller id. */
  readonly before: number | null;
}

/** The transfers of an account as a file, newest first, read in batches as the client takes them. */
export async function* exportLedger(
  services: Pick<Services, 'db'>,
  { accountId, format, before }: Export,
): AsyncGenerator<string, void, void> {
  const endsAtMs = Date.now() + MAX_MS;
  if (format === 'csv') yield toCsvLine(COLUMNS);
  let last = before;
  for (let rest = MAX_EXPORT_ROWS; rest > 0; ) {
    if (Date.now() > endsAtMs) throw new Error('the client reads the export too slowly');
    const limit = Math.min(BATCH, rest);
    const rows = (await findLedgerRows(services.db, { accountId, before: last, limit })).map(showTransfer);
    if (rows.length > 0) yield rows.map(format === 'csv' ? toCsv : toJsonLine).join('');
    if (rows.length < limit) return;
    last = rows.at(-1)?.id ?? null;
    rest -= rows.length;
  }
}

const toJsonLine = (transfer: Transfer): string => `${JSON.stringify(transfer)}\n`;
const toCsv = (transfer: Transfer): string => toCsvLine(COLUMNS.map((column) => transfer[column]));

/** As RFC 4180. A text that a spreadsheet would run as a formula starts with an apostrophe. */
export function toCsvLine(values: ReadonlyArray<string | number | null>): string {
  return `${values.map(toCsvField).join(',')}\r\n`;
}

function toCsvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
