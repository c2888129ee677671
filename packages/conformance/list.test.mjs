// Operation 5, GET /v1/generations: order, pages, filters.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call, expectProblem, IMAGE, imageBody, list, run, spoil, steady, submit } from './kit.mjs';
import { decided } from './mode.mjs';
import * as schema from './schema.mjs';

const ids = (page) => page.items.map((each) => each.id);
const newestFirst = (items) =>
  items.every((each, n) => n === 0 || Date.parse(items[n - 1].createdAt) >= Date.parse(each.createdAt));
const at = (limit, cursor) => `?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;

describe('list', () => {
  let made; // nine generations, newest first
  before(async () => {
    made = [];
    for (let n = 0; n < 9; n += 1) made.unshift((await submit(imageBody(`list ${n}`))).id);
  });

  test('list: 200 response conforms and is newest first', async () => {
    const page = await list('?limit=100');
    assert.ok(newestFirst(page.items));
    assert.deepEqual(ids(page).slice(0, made.length), made); // submitted one after the other
  });
  test('list: an item equals the generation read by id', async () => {
    const ended = await run(imageBody());
    const item = (await list('?limit=20')).items.find((each) => each.id === ended.id);
    assert.deepEqual(steady(item), steady(ended));
  });
  test('list: the default page is 30', async () => {
    const { items } = await list('?limit=100');
    for (let n = items.length; n < 31; n += 1) await submit(imageBody(`fill ${n}`));
    const page = await list();
    assert.equal(page.items.length, 30); // Limits, page size
    assert.notEqual(page.nextCursor, null);
  });
  for (const limit of [1, 2, 30]) {
    test(`list: limit ${limit} returns ${limit}`, async () => {
      const { items } = await list('?limit=100');
      for (let n = items.length; n < limit; n += 1) await submit();
      assert.equal((await list(`?limit=${limit}`)).items.length, limit);
    });
  }
  test('list: limit 100 is accepted and returns at most 100', async () => {
    assert.ok((await list('?limit=100')).items.length <= 100);
  });
  for (const limit of ['0', '101', '-1', '1.5', 'abc', '9999999999999999999']) {
    test(`list: limit "${limit}" is 400 invalid_params`, async () => {
      expectProblem(await call(`GET /v1/generations?limit=${limit}`, { key: 'full' }), 400, 'invalid_params'); // Operation 5: integer 1-100
    });
  }

  test('list: paging by cursor has no gaps or duplicates while new generations are inserted', async () => {
    const expected = ids(await list('?limit=9'));
    const seen = [];
    for (let cursor = null, pages = 0; pages < 3; pages += 1) {
      const page = await list(at(3, cursor));
      seen.push(...ids(page));
      cursor = page.nextCursor;
      await Promise.all([submit(imageBody('inserted')), submit(imageBody('inserted'))]);
    }
    assert.deepEqual(seen, expected); // Operation 5: repeat with cursor set to nextCursor
  });
  test('list: paging to the end returns each generation once and ends with null', async () => {
    const items = [];
    let cursor = null;
    for (let pages = 0; pages < 100; pages += 1) {
      const page = await list(at(100, cursor));
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) break;
      assert.ok(page.items.length > 0, 'a page before the last is not empty');
    }
    assert.equal(cursor, null, 'fewer than 10,000 generations in a sandbox');
    assert.equal(new Set(items.map((each) => each.id)).size, items.length);
    assert.ok(newestFirst(items));
  });
  test('list: the order does not depend on the page size', async () => {
    const expected = ids(await list('?limit=4'));
    const seen = [];
    let cursor = null;
    for (let n = 0; n < 4; n += 1) {
      const page = await list(at(1, cursor));
      seen.push(...ids(page));
      cursor = page.nextCursor;
    }
    assert.deepEqual(seen, expected);
  });
  test('list: a cursor works together with its filter', async () => {
    await Promise.all([run(imageBody()), run(imageBody())]);
    const first = await list('?status=succeeded&limit=1');
    const second = await list(`?status=succeeded&limit=1&cursor=${encodeURIComponent(first.nextCursor)}`);
    assert.equal(second.items[0].status, 'succeeded');
    assert.notEqual(second.items[0].id, first.items[0].id);
  });
  decided('list: a cursor that was never issued is 400', async () => {
    expectProblem(await call('GET /v1/generations?cursor=never-issued', { key: 'full' }), 400);
  });
  decided('list: a changed cursor is 400', async () => {
    const { nextCursor } = await list('?limit=1');
    expectProblem(await call(`GET /v1/generations${at(1, spoil(nextCursor))}`, { key: 'full' }), 400);
  });
  test("list: another account's cursor reveals nothing of that account", async () => {
    const { nextCursor } = await list('?limit=1');
    const answer = await call(`GET /v1/generations${at(100, nextCursor)}`, { key: 'other' });
    if (answer.status === 400) return void expectProblem(answer, 400);
    const mine = new Set(ids(await list('?limit=100')));
    assert.ok(answer.body.items.every((each) => !mine.has(each.id)));
  });
  test("list: another account's generations are not listed", async () => {
    const theirs = new Set(ids(await list('?limit=100', 'other')));
    assert.ok(made.every((id) => !theirs.has(id)));
  });

  for (const status of schema.STATUSES) {
    test(`list: status=${status} lists only matching generations`, async () => {
      assert.ok((await list(`?status=${status}&limit=100`)).items.every((each) => each.status === status));
    });
  }
  test('list: status finds succeeded and failed generations', async () => {
    const [succeeded, failed] = await Promise.all([run(imageBody()), run(imageBody('sim:fail:internal'))]);
    assert.ok(ids(await list('?status=succeeded&limit=100')).includes(succeeded.id));
    assert.ok(ids(await list('?status=failed&limit=100')).includes(failed.id));
    assert.ok(!ids(await list('?status=failed&limit=100')).includes(succeeded.id));
  });
  for (const modality of schema.MODALITIES) {
    test(`list: modality=${modality} lists only matching generations`, async () => {
      const { items } = await list(`?modality=${modality}&limit=100`);
      assert.ok(items.every((each) => each.modality === modality));
      if (modality === 'image') assert.ok(items.length > 0);
    });
  }
  for (const workspace of schema.WORKSPACES) {
    test(`list: workspace=${workspace} lists only matching generations`, async () => {
      assert.ok((await list(`?workspace=${workspace}&limit=100`)).items.every((each) => each.workspace === workspace));
    });
  }
  test('list: modelId lists only that model', async () => {
    const { items } = await list(`?modelId=${encodeURIComponent(IMAGE)}&limit=100`);
    assert.ok(items.length > 0 && items.every((each) => each.modelId === IMAGE));
  });
  test('list: filters combine', async () => {
    const { items } = await list(`?status=succeeded&modality=image&modelId=${encodeURIComponent(IMAGE)}&limit=100`);
    assert.ok(
      items.every((each) => each.status === 'succeeded' && each.modality === 'image' && each.modelId === IMAGE),
    );
  });
  test('list: active=true lists only queued and processing', async () => {
    const { id } = await submit(imageBody('sim:ok:2000'));
    const { items } = await list('?active=true&limit=100');
    assert.ok(items.some((each) => each.id === id));
    assert.ok(items.every((each) => ['queued', 'processing'].includes(each.status)));
  });
  for (const query of ['status=done', 'status=SUCCEEDED', 'modality=text', 'workspace=other', 'active=maybe']) {
    test(`list: ${query} is 400 invalid_params`, async () => {
      expectProblem(await call(`GET /v1/generations?${query}`, { key: 'full' }), 400, 'invalid_params');
    });
  }
});
