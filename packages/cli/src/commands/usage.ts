import type { Generation } from '@atelier/sdk';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-code.ts';
import { needInteger, needOneOf } from '../read-command.ts';
import { renderTable } from '../terminal.ts';

const GROUPS = ['day', 'model', 'project'] as const;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;
const DAY_MS = 86_400_000;
const PAGE = 100;
/** 100 requests. */
const MAX_GENERATIONS = 10_000;
const BAR_CELLS = 30;

export type UsageGroup = (typeof GROUPS)[number];

export interface UsageRow {
  readonly name: string;
  readonly generations: number;
  readonly coins: number;
}

export const usageCommand: Command = {
  summary: 'show what the generations of the last days cost, by day, model or project',
  args: [],
  options: {
    days: { says: `how many days, at most ${MAX_DAYS} (default ${DEFAULT_DAYS})`, value: 'N' },
    by: { says: 'what to group by (default day)', value: 'GROUP', values: GROUPS },
  },
  details:
    'Counts the generations created on these days (UTC) that the key can list. The usage page of the console has every charge of the account.',
  async run(context) {
    const { terminal, signal, json } = context;
    const days = needInteger(context, 'days') ?? DEFAULT_DAYS;
    if (days < 1 || days > MAX_DAYS) throw new UsageError(`--days must be from 1 to ${MAX_DAYS}`);
    const by = needOneOf(context, 'by', GROUPS) ?? 'day';
    const from = firstDay(Date.now(), days);
    const client = await context.client();
    const found: Generation[] = [];
    let isComplete = true;
    for await (const generation of client.generations.list({ limit: PAGE }, { signal })) {
      if (generation.createdAt < from) break;
      isComplete = found.push(generation) < MAX_GENERATIONS;
      if (!isComplete) break;
      if (found.length % PAGE === 0) terminal.status(`reading generations: ${found.length}`);
    }
    terminal.endStatus();
    const rows = countUsage(found, by);
    const coins = rows.reduce((sum, row) => sum + row.coins, 0);
    if (json) {
      terminal.print(JSON.stringify({ from, by, generations: found.length, coins, rows, isComplete }));
      return 0;
    }
    for (const line of renderTable(
      rows.map((row) => [row.name, `${row.coins} coins`, count(row.generations), renderShare(row.coins, rows)]),
    )) {
      terminal.print(line);
    }
    terminal.print(`${coins} coins for ${count(found.length)} since ${from.slice(0, 10)}`);
    if (!isComplete) terminal.note(`Only the newest ${MAX_GENERATIONS} generations are counted. Choose fewer days.`);
    return 0;
  },
};

const count = (generations: number) => `${generations} ${generations === 1 ? 'generation' : 'generations'}`;

/** The start of the first of these days; the last one is today. */
export function firstDay(nowMs: number, days: number): string {
  return new Date(Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS).toISOString();
}

/** Days in order, everything else by its cost. */
export function countUsage(generations: readonly Generation[], by: UsageGroup): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const generation of generations) {
    const name = nameOf(generation, by);
    const row = rows.get(name) ?? { generations: 0, coins: 0 };
    rows.set(name, { name, generations: row.generations + 1, coins: row.coins + (generation.coinsCharged ?? 0) });
  }
  const byName = (a: UsageRow, b: UsageRow) => (a.name < b.name ? -1 : 1);
  return [...rows.values()].sort(by === 'day' ? byName : (a, b) => b.coins - a.coins || byName(a, b));
}

function nameOf(generation: Generation, by: UsageGroup): string {
  if (by === 'day') return generation.createdAt.slice(0, 10);
  return by === 'model' ? generation.modelId : (generation.projectId ?? '(no project)');
}

function renderShare(coins: number, rows: readonly UsageRow[]): string {
  const most = Math.max(1, ...rows.map((row) => row.coins));
  return '█'.repeat(Math.ceil((coins / most) * BAR_CELLS));
}
