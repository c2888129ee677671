import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Atelier, GenerationFailedError } from '@atelier/sdk';
import { type Item, openJournal } from './journal.ts';

const MODEL = 'canvas';
const AT_ONCE = 3;

const { values } = parseArgs({
  options: { prompts: { type: 'string' }, out: { type: 'string' }, budget: { type: 'string' } },
});
const budget = Number(values.budget);
if (values.prompts === undefined || values.out === undefined || !(budget > 0)) {
  console.error('Usage: node run-batch.ts --prompts FILE --out FOLDER --budget COINS');
  process.exit(2);
}
const out = values.out;
const lines = (await readFile(values.prompts, 'utf8')).split('\n').filter((line) => line.trim() !== '');

const atelier = new Atelier();
const journal = await openJournal(out);

// Prices first: nothing is spent if the total is above the budget.
const planned: { line: number; item: Item }[] = [];
for (const [line, prompt] of lines.entries()) {
  const known = journal.get(line);
  if (known !== undefined && known.prompt !== prompt)
    throw new Error(`Line ${line + 1} has changed: use another folder`);
  if (known?.file !== undefined) continue;
  // A request that was sent before keeps its key and its limit.
  planned.push({ line, item: known ?? (await quote(prompt)) });
}
const spent = journal.all().reduce((sum, { coinsCharged = 0 }) => sum + coinsCharged, 0);
const price = planned.reduce((sum, { item }) => sum + item.maxCoins, 0);
console.log(`${planned.length} of ${lines.length} pictures to make for at most ${price} coins; spent before: ${spent}`);
if (spent + price > budget) {
  console.error(`This is above the budget of ${budget} coins. No request was sent.`);
  process.exit(1);
}

let failures = 0;
const queue = planned.values();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const { line, item } of queue) await make(line, item);
  }),
);
const total = journal.all().reduce((sum, { coinsCharged = 0 }) => sum + coinsCharged, 0);
console.log(`spent ${total} of ${budget} coins, ${failures} failed`);
if (failures > 0) process.exitCode = 1;

async function quote(prompt: string): Promise<Item> {
  const { coins } = await atelier.quotes.create({ modelId: MODEL, params: { prompt } });
  return { prompt, idempotencyKey: randomUUID(), maxCoins: coins };
}

async function make(line: number, item: Item): Promise<void> {
  // On disk before the request: after a crash the same key gets the same generation, and pays for no other.
  await journal.set(line, item);
  const { prompt, maxCoins, idempotencyKey } = item;
  try {
    const generation = await atelier.generations.run(
      { modelId: MODEL, params: { prompt }, maxCoins },
      { idempotencyKey },
    );
    const output = generation.outputs[0]!;
    const file = join(out, `${line + 1}.${output.mimeType.replace('image/', '')}`);
    await output.save(file);
    await journal.set(line, { ...item, coinsCharged: generation.coinsCharged ?? 0, file });
    console.log(`${file}: ${generation.coinsCharged} coins`);
  } catch (error) {
    if (!(error instanceof GenerationFailedError)) throw error;
    failures += 1;
    console.error(`line ${line + 1}: ${error.message}`);
    await journal.set(line, null);
  }
}
