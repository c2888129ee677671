import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { createLog } from '../../platform/log.ts';
import { createRouteCheck } from '../../providers/create-route-check.ts';
import { logUnservedRoutes } from './log-unserved-routes.ts';

const catalogDir = join(import.meta.dirname, '../../../../../catalog');

test('a route that no provider can serve is logged, again only when something changes', async () => {
  const lines: { msg: string; modelId?: string; reason: string; count?: number }[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const good = await loadCatalog(catalogDir);
  const voice = good.models.get('voice')!;
  const bad = { ...voice, routes: [{ provider: 'openai', settings: { backend: 'speech', map: { words: 'input' } } }] };
  let catalog = { ...good, models: new Map([['voice', voice]]) };
  const watch = logUnservedRoutes(
    { catalog: () => catalog, offers: () => new Set(), log: createLog({ level: 'info', destination }) },
    { checkRoute: createRouteCheck({ catalogDir }), firstLookMs: 1, intervalMs: 10 },
  );
  try {
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ msg: 'routes without a worker', count: 1, reason: 'voice: openai/speech' });
    catalog = { ...good, models: new Map([['voice', bad]]) };
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    expect(lines[1]).toMatchObject({ level: 'warn', modelId: 'voice' });
    expect(lines[1]?.reason).toMatch(/^routes\.0\.map\.words: words is not a param of the model; it has text, /);
  } finally {
    watch.close();
  }
});
