import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../platform/problem.ts';

const THUMBNAIL = /^[a-z0-9][a-z0-9-]{0,63}\.webp$/;

/** The pictures of the effects. Each listener that lists effects serves them: the pages of the console load from their own origin. */
export function bindThumbnails(app: FastifyInstance, { thumbnailDir }: { thumbnailDir: string }): void {
  app.get<{ Params: { file: string } }>('/effects/:file', async (request, reply) => {
    const { file } = request.params;
    const picture = THUMBNAIL.test(file) ? await readFile(join(thumbnailDir, file)).catch(() => null) : null;
    if (picture === null) throw new Problem('not_found', 'Thumbnail not found.');
    return reply.header('cache-control', 'public, max-age=3600').type('image/webp').send(picture);
  });
}
