import { findOutputs } from '@atelier/server/domain/assets/assets.store.ts';
import { findGeneration } from '@atelier/server/domain/generations/generations.store.ts';
import { findGenerations } from '@atelier/server/domain/generations/read/generation-list.store.ts';
import { readConfig } from '@atelier/server/entry/config/config.ts';
import { createDb } from '@atelier/server/platform/db.ts';
import Fastify, { type FastifyReply } from 'fastify';
import { reportToBench } from '../load/process-cost.ts';

/** The statements of the service, and their rows as JSON: no authentication, no limits, no links. */
const config = readConfig();
const accountId = process.env.BENCH_ACCOUNT_ID as string;
const db = createDb({
  url: config.databaseUrl,
  applicationName: 'bench-read',
  maxConnections: config.databaseMaxConnections,
});
const app = Fastify({ logger: false });
const send = (reply: FastifyReply, value: unknown) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(value));

app.get('/v1/generations/:id', async (request, reply) => {
  const { id } = request.params as { id: string };
  const row = await findGeneration(db, { accountId, id });
  return send(reply, { ...row, outputs: await findOutputs(db, { accountId, generationIds: [id] }) });
});

app.get('/v1/generations', async (request, reply) => {
  const limit = Number((request.query as { limit: string }).limit);
  const rows = await findGenerations(db, { accountId, filter: {}, limit: limit + 1, after: null });
  const outputs = await findOutputs(db, { accountId, generationIds: rows.slice(0, limit).map((row) => row.id) });
  return send(reply, { rows, outputs });
});

reportToBench(await app.listen({ host: '127.0.0.1', port: 0 }));
