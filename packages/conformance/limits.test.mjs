// Limits of files: bytes of audio and video uploads, and the inputLimits that depend on the output: maxOutputPixels, maxOutputSide, expand_*.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expectIssueIfAny,
  expectProblem,
  models,
  postQuote,
  postUpload,
  quote,
  requiredParams,
  upload,
} from './kit.mjs';
import { clips, pad, png, wav } from './media.mjs';
import { decided, skip } from './mode.mjs';

const MB = 1024 * 1024;

// ---- Limits, audio and video upload
test('limits: an audio file over 50 MB is 413 upload_too_large', async () => {
  const bytes = wav({ seconds: 590, rate: 96_000 });
  assert.ok(bytes.length > 50 * MB);
  expectProblem(await postUpload({ bytes, type: 'audio/wav', filename: 'large.wav' }), 413, 'upload_too_large');
});
test('limits: an audio file under 50 MB is accepted', async () => {
  const bytes = wav({ seconds: 590, rate: 84_000 });
  assert.ok(bytes.length > 49_000_000 && bytes.length < 50_000_000);
  await upload({ bytes, type: 'audio/wav', filename: 'fair.wav' });
});
test('limits: a video over 200 MB is 413 upload_too_large', async () => {
  const bytes = pad(clips[0].bytes, 200 * MB + 1);
  expectProblem(await postUpload({ ...clips[0], bytes }), 413, 'upload_too_large');
});
test('limits: a video larger than any image or audio file may be is accepted', async () => {
  await upload({ ...clips[0], bytes: pad(clips[0].bytes, 60 * MB) });
});

// ---- inputLimits of the output, on models that take one image. Decisions, input_too_large.
const factorOf = (entry) => {
  const descriptor = entry.params.find((each) => each.name === 'upscale_factor');
  return descriptor === undefined ? 1 : (descriptor.values?.at(-1) ?? descriptor.max);
};
const expandsOf = (entry) => entry.params.filter((each) => each.name.startsWith('expand_') && each.kind === 'range');
const imageOf = (entry) =>
  entry.params.find(
    (each) => each.required && each.kind === 'media' && each.accept === 'image' && each.name !== 'mask',
  );

/** A quote for an image of this size at the largest factor, with the sides expanded as given. */
async function quoteFor(entry, size, expand = (descriptor) => Math.max(0, descriptor.min)) {
  const file = { bytes: png(size), type: 'image/png', filename: 'image.png' };
  const params = { ...(await requiredParams(entry)), [imageOf(entry).name]: (await upload(file)).id };
  if (factorOf(entry) !== 1) params.upscale_factor = factorOf(entry);
  for (const each of expandsOf(entry)) params[each.name] = expand(each);
  return postQuote({ modelId: entry.id, params });
}
/** The model with the lowest limit of this name. */
const lowest = async (limit, isUsable = () => true) =>
  (await models())
    .filter((entry) => entry.inputLimits?.[limit] !== undefined && imageOf(entry) && isUsable(entry))
    .sort((a, b) => a.inputLimits[limit] - b.inputLimits[limit])[0];

decided(
  'limits: an image that gives maxOutputPixels is accepted, one that gives more is 400 input_too_large',
  async (t) => {
    const entry = await lowest('maxOutputPixels', (each) => expandsOf(each).length === 0);
    if (!entry) return skip(t, 'no model with an image has maxOutputPixels');
    const side = Math.floor(Math.sqrt(entry.inputLimits.maxOutputPixels) / factorOf(entry));
    assert.equal((await quoteFor(entry, { width: side, height: side })).status, 200, entry.id);
    const refused = await quoteFor(entry, { width: side + 1, height: side + 1 });
    expectIssueIfAny(expectProblem(refused, 400, 'input_too_large'), imageOf(entry).name);
  },
);
decided(
  'limits: an image that gives maxOutputSide is accepted, one that gives more is 400 input_too_large',
  async (t) => {
    const sideOf = (each) => Math.floor(each.inputLimits.maxOutputSide / factorOf(each));
    const entry = await lowest('maxOutputSide', (each) => expandsOf(each).length === 0 && sideOf(each) < 8192);
    if (!entry) return skip(t, 'no model with an image has a maxOutputSide that an upload can exceed');
    for (const size of [(side) => ({ width: side, height: 1 }), (side) => ({ width: 1, height: side })]) {
      assert.equal((await quoteFor(entry, size(sideOf(entry)))).status, 200, entry.id);
      const refused = await quoteFor(entry, size(sideOf(entry) + 1));
      expectIssueIfAny(expectProblem(refused, 400, 'input_too_large'), imageOf(entry).name);
    }
  },
);
decided('limits: expand_* count toward maxOutputPixels', async (t) => {
  const entry = await lowest('maxOutputPixels', (each) => expandsOf(each).length > 0);
  if (!entry) return skip(t, 'no model with expand_* has maxOutputPixels');
  const side = Math.floor(Math.sqrt(entry.inputLimits.maxOutputPixels) / factorOf(entry));
  const size = { width: side, height: side };
  assert.equal((await quoteFor(entry, size)).status, 200, `${entry.id} without expansion`);
  for (const name of expandsOf(entry).map((each) => each.name)) {
    const one = (each) => (each.name === name ? each.max : Math.max(0, each.min));
    expectProblem(await quoteFor(entry, size, one), 400, 'input_too_large');
  }
});
test('limits: each expand_* is accepted at its bounds and refused beyond them', async (t) => {
  const entry = (await models()).find((each) => imageOf(each) && expandsOf(each).length > 0);
  if (!entry) return skip(t, 'no model has expand_*');
  const params = await requiredParams(entry);
  for (const { name, min, max, step } of expandsOf(entry)) {
    // Another side is expanded too: a request that changes nothing may be refused.
    const other = expandsOf(entry).find((each) => each.name !== name);
    const request = (value) => ({ modelId: entry.id, params: { ...params, [other.name]: other.max, [name]: value } });
    for (const value of [min, max]) await quote(request(value));
    for (const value of [min - step, max + step, String(max), null])
      expectIssueIfAny(expectProblem(await postQuote(request(value)), 400, 'invalid_params'), name);
  }
});
