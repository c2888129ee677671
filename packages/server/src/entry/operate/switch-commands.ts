import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { listSwitches } from '../../domain/operator/list-switches.ts';
import { type Switch, setSwitch } from '../../domain/operator/set-switch.ts';
import { withTx } from '../../platform/db.ts';
import { need, needOneOf, type OperatorCommand, type OperatorContext, UsageError } from './operator-command.ts';

const CHANNELS = ['web', 'api', 'mcp'] as const;
const channel = { 'channel!': CHANNELS.join(', ') };
const model = { 'model!': 'id of the model' };

async function turn(context: OperatorContext, change: Switch): Promise<object> {
  await withTx(context.db, (tx) => setSwitch(tx, change, context.actor));
  return change;
}

/** A misspelt id would report success and disable nothing. */
async function needModel(context: OperatorContext): Promise<string> {
  const id = need(context, 'model');
  const { models } = await loadCatalog(context.config.catalogDir);
  if (!models.has(id)) throw new UsageError(`--model: the catalog has no model ${id}`);
  return id;
}

export const switchCommands: Readonly<Record<string, OperatorCommand>> = {
  list: { summary: 'lists the switches that are set', options: {}, run: (context) => listSwitches(context) },
  'maintenance-on': {
    summary: 'refuses quotes, submits and uploads with 503 maintenance',
    options: { 'message!': 'message for clients' },
    run: (context) => turn(context, { kind: 'maintenance', message: need(context, 'message') }),
  },
  'maintenance-off': {
    summary: 'ends maintenance',
    options: {},
    run: (context) => turn(context, { kind: 'maintenance', message: null }),
  },
  'read-only-on': {
    summary: 'refuses every change of customers with 503, and lets workers take no job; running ones finish',
    options: { 'message!': 'message for clients' },
    run: (context) => turn(context, { kind: 'read-only', message: need(context, 'message') }),
  },
  'read-only-off': {
    summary: 'allows changes again',
    options: {},
    run: (context) => turn(context, { kind: 'read-only', message: null }),
  },
  'close-channel': {
    summary: 'disables a channel',
    options: channel,
    run: (context) =>
      turn(context, { kind: 'channel', channel: needOneOf(context, 'channel', CHANNELS), closed: true }),
  },
  'open-channel': {
    summary: 'enables a channel',
    options: channel,
    run: (context) =>
      turn(context, { kind: 'channel', channel: needOneOf(context, 'channel', CHANNELS), closed: false }),
  },
  'close-model': {
    summary: 'disables a model; accepted generations still run',
    options: model,
    run: async (context) => turn(context, { kind: 'model', modelId: await needModel(context), closed: true }),
  },
  'open-model': {
    summary: 'enables a model, including one that is no longer in the catalog',
    options: model,
    async run(context) {
      const id = need(context, 'model');
      const closed = (await listSwitches(context)).some(({ name }) => name === `model.closed.${id}`);
      return turn(context, { kind: 'model', modelId: closed ? id : await needModel(context), closed: false });
    },
  },
};
