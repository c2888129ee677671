import { type Switch, setSwitch } from '../../domain/operator/set-switch.ts';
import { withTx } from '../../platform/db.ts';
import { need, type OperatorCommand, type OperatorContext } from './operator-command.ts';

async function turn(context: OperatorContext, change: Switch): Promise<object> {
  await withTx(context.db, (tx) => setSwitch(tx, change, context.actor));
  return change;
}

export const switchCommands: Readonly<Record<string, OperatorCommand>> = {
  'maintenance-on': {
    summary: 'refuses quotes, submits and uploads with 503 maintenance',
    options: { 'message!': 'a sentence for clients' },
    run: (context) => turn(context, { kind: 'maintenance', message: need(context, 'message') }),
  },
  'maintenance-off': {
    summary: 'ends the maintenance',
    options: {},
    run: (context) => turn(context, { kind: 'maintenance', message: null }),
  },
  'close-channel': {
    summary: 'switches a channel off',
    options: { 'channel!': 'web, api or mcp' },
    run: (context) => turn(context, { kind: 'channel', channel: need(context, 'channel'), closed: true }),
  },
  'open-channel': {
    summary: 'switches a channel on',
    options: { 'channel!': 'web, api or mcp' },
    run: (context) => turn(context, { kind: 'channel', channel: need(context, 'channel'), closed: false }),
  },
  'close-model': {
    summary: 'closes a model; what was accepted still runs',
    options: { 'model!': 'id of the model' },
    run: (context) => turn(context, { kind: 'model', modelId: need(context, 'model'), closed: true }),
  },
  'open-model': {
    summary: 'opens a model again',
    options: { 'model!': 'id of the model' },
    run: (context) => turn(context, { kind: 'model', modelId: need(context, 'model'), closed: false }),
  },
};
