import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECORD, renderSoakPage, SOAK_PAGE } from './record-soak.ts';
import { ROOT } from './root.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('the page of soak results shows the record, stage by stage and file by file', () => {
  expect(read(SOAK_PAGE)).toBe(renderSoakPage(JSON.parse(read(RECORD))));
  const page = renderSoakPage({
    drills: {
      ...{ date: '2026-11-16', commit: 'abc', seconds: 61, passed: 2, failed: 0 },
      files: [{ path: 'e2e/drills/a.soak.test.ts', seconds: 60, passed: 2 }],
    },
  });
  expect(page).toContain('| 2 | 0 | 1 min 1 s | 2026-11-16 | `abc` |');
  expect(page).toContain('| `drills` | `e2e/drills/a.soak.test.ts` | 2 | 60 s |');
});
