// Operations 9 and 10: POST /v1/uploads, GET /v1/assets/{id}, and the signed links.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call, expectOk, expectProblem, imageBody, postUpload, run, sleep, spoil, UNKNOWN_ID, upload } from './kit.mjs';
import { accepted, clipTooLong, clipTooWide, invalid, png, sniff, wav } from './media.mjs';
import { decided, either, skip } from './mode.mjs';
import * as schema from './schema.mjs';

const getAsset = async (id, key = 'full') => expectOk(await call(`GET /v1/assets/${id}`, { key }), 200, schema.asset);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

for (const file of accepted) {
  test(`uploads: ${file.type} is 201 with an Asset that describes it`, async () => {
    const asset = await upload(file); // Operation 9, accepted types; Resources, "Asset"
    assert.match(asset.id, UUID); // Operation 10: uuid of an output or an upload
    assert.deepEqual([asset.kind, asset.mimeType], [file.kind, file.type]);
    if (file.width) assert.deepEqual([asset.width, asset.height], [file.width, file.height]);
    if (file.seconds) assert.ok(Math.abs(asset.durationSeconds - file.seconds) < 0.3, `${asset.durationSeconds} s`);
    if (file.kind === 'image') assert.equal(asset.durationSeconds, null);
    if (file.kind === 'audio') assert.deepEqual([asset.width, asset.height], [null, null]);
  });
  test(`uploads: ${file.type} can be read back, file and thumbnail, without a key`, async () => {
    const asset = await getAsset((await upload(file)).id);
    const [bytes, thumbnail] = [await call(`GET ${asset.url}`), await call(`GET ${asset.thumbnailUrl}`)];
    assert.deepEqual([bytes.status, thumbnail.status], [200, 200]);
    assert.equal(sniff(bytes.bytes), file.type);
    assert.ok(thumbnail.bytes.length > 0); // Decisions, thumbnails: every asset has one
  });
}
for (const file of invalid) {
  test(`uploads: ${file.title} is 415 upload_invalid`, async () => {
    expectProblem(await postUpload(file), 415, 'upload_invalid');
  });
}
const pngFile = (options) => ({ bytes: png(options), type: 'image/png', filename: 'image.png' });
test('uploads: an image over 20 MB is 413 upload_too_large', async () => {
  const file = pngFile({ width: 2800, height: 2800, store: true });
  assert.ok(file.bytes.length > 20 * 1024 * 1024);
  expectProblem(await postUpload(file), 413, 'upload_too_large'); // Limits, image upload
});
test('uploads: an image under 20 MB is accepted', async () => {
  const file = pngFile({ width: 2500, height: 2500, store: true });
  assert.ok(file.bytes.length > 18_000_000 && file.bytes.length < 20_000_000);
  await upload(file);
});
test('uploads: an image of 8192 px is accepted, of 8193 px refused', async () => {
  assert.equal((await upload(pngFile({ width: 8192, height: 1 }))).width, 8192);
  for (const size of [
    { width: 8193, height: 1 },
    { width: 1, height: 8193 },
  ])
    expectProblem(await postUpload(pngFile(size)), [400, 413, 415]); // the code is not shown
});
test('uploads: an audio over 10 minutes is 413 upload_too_long', async () => {
  expectProblem(
    await postUpload({ bytes: wav({ seconds: 603, rate: 4000 }), type: 'audio/wav', filename: 'long.wav' }),
    413,
    'upload_too_long',
  );
});
test('uploads: an audio under 10 minutes is accepted', async () => {
  const asset = await upload({ bytes: wav({ seconds: 597, rate: 4000 }), type: 'audio/wav', filename: 'fair.wav' });
  assert.ok(Math.abs(asset.durationSeconds - 597) < 1);
});
test('uploads: a video over 60 s is 413 upload_too_long', async () => {
  expectProblem(await postUpload(clipTooLong), 413, 'upload_too_long');
});
test('uploads: a video over 4096 px is refused', async () => {
  expectProblem(await postUpload(clipTooWide), [400, 413, 415]); // the code is not shown
});
test('uploads: a field name other than file is 400', async () => {
  expectProblem(await postUpload({ ...pngFile(), field: 'image' }), 400);
});
test('uploads: a form without a file is 400', async () => {
  const form = new FormData();
  form.append('file', 'just text');
  expectProblem(await call('POST /v1/uploads', { key: 'full', body: form }), [400, 415]);
  expectProblem(await call('POST /v1/uploads', { key: 'full', body: new FormData() }), 400);
});
test('uploads: an empty file is refused', async () => {
  expectProblem(await postUpload({ bytes: Buffer.alloc(0), type: 'image/png', filename: 'empty.png' }), [400, 415]);
});
test('uploads: a body that is not multipart is refused', async () => {
  expectProblem(await call('POST /v1/uploads', { key: 'full', json: { file: 'abc' } }), [400, 415]);
});
decided('uploads: a path in the file name is ignored', async () => {
  await upload({ ...pngFile(), filename: '../../etc/passwd.png' });
});

describe('assets and links', () => {
  let asset;
  let output;
  before(async () => {
    asset = await upload(pngFile({ width: 40, height: 30 }));
    [output] = (await run(imageBody())).outputs;
  });
  test('uploads: GET /v1/assets returns the upload with working links', async () => {
    const read = await getAsset(asset.id);
    assert.deepEqual(
      [read.id, read.kind, read.mimeType, read.width, read.height],
      [asset.id, 'image', 'image/png', 40, 30],
    );
    assert.equal((await call(`GET ${read.url}`)).status, 200);
  });
  test('uploads: GET /v1/assets returns an output of a generation', async () => {
    const read = await getAsset(output.id);
    assert.deepEqual([read.id, read.kind, read.mimeType], [output.id, output.kind, output.mimeType]);
    assert.equal((await call(`GET ${read.url}`)).status, 200);
  });
  test('uploads: reading again returns working links to the same file', async () => {
    const first = await getAsset(asset.id);
    await sleep(1100);
    const second = await getAsset(asset.id);
    assert.deepEqual((await call(`GET ${first.url}`)).bytes, (await call(`GET ${second.url}`)).bytes);
  });
  test("uploads: another account's upload is 404 not_found", async () => {
    expectProblem(
      await call(`GET /v1/assets/${asset.id}`, { key: 'other' }),
      ...either([404, 'not_found'], [[403, 404]]),
    );
  });
  test('uploads: an unknown asset is 404 not_found', async () => {
    expectProblem(await call(`GET /v1/assets/${UNKNOWN_ID}`, { key: 'full' }), 404, 'not_found');
  });

  // ---- signed links
  const refused = (answer, what) =>
    assert.ok(answer.status >= 400 && answer.status < 500, `${what} answered ${answer.status}`);
  test('uploads: a link is absolute and needs no key', async () => {
    const { url } = await getAsset(asset.id);
    assert.match(url, /^https?:\/\//);
    const answer = await call(`GET ${url}`);
    assert.equal(answer.status, 200);
    assert.equal(sniff(answer.bytes), 'image/png');
  });
  test('uploads: a link without its query or its last path segment is refused', async () => {
    const url = new URL((await getAsset(asset.id)).url);
    const bare = new URL(url);
    if (url.search) bare.search = '';
    else bare.pathname = url.pathname.replace(/\/[^/]+$/, '/');
    refused(await call(`GET ${bare}`), 'a link without its signature');
  });
  test('uploads: a link with any long part changed is refused', async () => {
    // a signed link: identity, expiry and signature cannot be changed
    const url = new URL((await getAsset(asset.id)).url);
    const changed = [];
    url.pathname.split('/').forEach((segment, n, all) => {
      if (segment.length >= 16 && !/\.[a-z0-9]{2,5}$/.test(segment)) {
        const copy = new URL(url);
        copy.pathname = all.toSpliced(n, 1, spoil(segment)).join('/');
        changed.push(copy);
      }
    });
    for (const [name, value] of url.searchParams)
      if (value.length >= 16) {
        const copy = new URL(url);
        copy.searchParams.set(name, spoil(value));
        changed.push(copy);
      }
    assert.ok(changed.length > 0, 'a signature has at least 16 characters');
    for (const copy of changed) refused(await call(`GET ${copy}`), String(copy));
  });
  test('uploads: a link with a changed expiry is refused', async (t) => {
    const url = new URL((await getAsset(asset.id)).url);
    const times = [...url.searchParams].filter(([, value]) => /^\d{9,13}$/.test(value));
    if (times.length === 0) return skip(t, 'the link does not show its expiry');
    for (const [name, value] of times) {
      const copy = new URL(url);
      copy.searchParams.set(name, String(Number(value) + 3600));
      refused(await call(`GET ${copy}`), String(copy));
    }
  });
  test('uploads: the signature of one file is not valid for another', async () => {
    const [one, two] = [new URL((await getAsset(asset.id)).url), new URL((await getAsset(output.id)).url)];
    if (one.search && one.pathname !== two.pathname) {
      two.search = one.search;
      refused(await call(`GET ${two}`), 'a borrowed signature');
    }
  });
  decided('uploads: a link supports range requests', async () => {
    const { url } = await getAsset(asset.id);
    const whole = (await call(`GET ${url}`)).bytes;
    const part = await call(`GET ${url}`, { headers: { range: 'bytes=1-4' } });
    assert.equal(part.status, 206); // RFC 9110, 14
    assert.equal(part.headers.get('content-range'), `bytes 1-4/${whole.length}`);
    assert.deepEqual(part.bytes, whole.subarray(1, 5));
  });
  decided('uploads: a link serves the last bytes, and refuses a range beyond the end with 416', async () => {
    const { url } = await getAsset(asset.id);
    const whole = (await call(`GET ${url}`)).bytes;
    const tail = await call(`GET ${url}`, { headers: { range: 'bytes=-5' } });
    assert.equal(tail.status, 206);
    assert.deepEqual(tail.bytes, whole.subarray(-5));
    assert.equal((await call(`GET ${url}`, { headers: { range: `bytes=${whole.length + 10}-` } })).status, 416);
  });
});
