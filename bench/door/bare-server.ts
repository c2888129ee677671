import Fastify from 'fastify';
import { reportToBench } from '../load/process-cost.ts';
import { answer } from './answer.ts';

const app = Fastify({ logger: false });
app.post('/v1/quotes', async (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(answer)),
);
reportToBench(await app.listen({ host: '127.0.0.1', port: 0 }));
