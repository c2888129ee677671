import { app } from './de/app.ts';
import { auth, security } from './de/auth.ts';
import { authorize } from './de/authorize.ts';
import { events, generations } from './de/generations.ts';
import { keys, quickstart } from './de/keys.ts';
import { budgets, checkout, ledger, usage } from './de/money.ts';
import { names } from './de/names.ts';
import { pair } from './de/pair.ts';
import { members, settings } from './de/people.ts';
import { playground } from './de/playground.ts';
import { problems } from './de/problems.ts';
import { webhooks } from './de/webhooks.ts';
import type { Text } from './en.ts';

export const de: Text = {
  ...app,
  auth,
  authorize,
  security,
  keys,
  quickstart,
  webhooks,
  events,
  generations,
  playground,
  ledger,
  usage,
  budgets,
  checkout,
  members,
  settings,
  problems,
  names,
  pair,
};
