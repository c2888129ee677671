// Uploads as inputs of a generation: media params, inputLimits, consent.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  account,
  expectIssueIfAny,
  expectOk,
  expectProblem,
  fixture,
  model,
  PLENTY,
  postGeneration,
  postQuote,
  quiet,
  quote,
  requiredParams,
  UNKNOWN_ID,
  upload,
  waitTerminal,
} from './kit.mjs';
import { accepted, clips, png } from './media.mjs';
import { decided, skip } from './mode.mjs';
import * as schema from './schema.mjs';

const { imageInput, video, consent } = fixture.models;
const one = (kind) => accepted.find((file) => file.kind === kind);
const request = async (modelId, params = {}) => ({
  modelId,
  params: { ...(await requiredParams(await model(modelId))), ...params },
});

describe('inputs', () => {
  let ids; // one upload of each kind
  before(async () => {
    ids = {
      image: (await upload(one('image'))).id,
      audio: (await upload(one('audio'))).id,
      video: (await upload(one('video'))).id,
    };
  });

  for (const [title, modelId] of [
    ['image', imageInput],
    ['video', video],
  ]) {
    test(`inputs: a generation with a ${title} upload is quoted, accepted and succeeds`, async () => {
      // What the service does 3: the upload id is passed in a media param
      const json = await request(modelId);
      const priced = await quote(json);
      let answer = await postGeneration({ ...json, quoteToken: priced.quoteToken });
      if (answer.body?.code === 'consent_required')
        answer = await postGeneration({ ...json, quoteToken: priced.quoteToken, consent: true });
      const made = expectOk(answer, 201, schema.generation);
      assert.equal(made.coinsQuoted, priced.coins);
      assert.equal(made.params[title], json.params[title]);
      assert.equal((await waitTerminal(made.id)).status, 'succeeded');
    });
  }
  // Decisions, wrong_media: an upload of another kind than the param accepts
  for (const [modelId, param, kinds] of [
    [imageInput, 'image', ['audio', 'video']],
    [video, 'video', ['image', 'audio']],
  ]) {
    for (const kind of kinds) {
      decided(
        `inputs: an upload of kind ${kind} for the param ${param} is 400 wrong_media, in quote and submit`,
        async () => {
          const json = await request(modelId, { [param]: ids[kind] });
          expectProblem(await postQuote(json), 400, 'wrong_media');
          await quiet();
          const { balance } = await account();
          expectProblem(await postGeneration({ ...json, maxCoins: PLENTY, consent: true }), 400, 'wrong_media');
          assert.deepEqual((await account()).balance, balance);
        },
      );
    }
  }
  test("inputs: another account's upload is refused like one that does not exist", async () => {
    // Decisions: another account's id is handled like an unknown one
    const theirs = (await upload(one('image'), 'other')).id;
    const refuse = async (image) => {
      const { status, code } = expectProblem(
        await postGeneration({ ...(await request(imageInput, { image })), maxCoins: PLENTY, consent: true }),
        [400, 404],
      );
      return { status, code };
    };
    assert.deepEqual(await refuse(theirs), await refuse(UNKNOWN_ID));
  });
  for (const [title, image] of [
    ['no id', 'not an id!'],
    ['a link', 'https://example.com/image.png'],
    ['an empty string', ''],
    ['a data link', 'data:image/png;base64,AAAA'],
  ]) {
    test(`inputs: a media param that is ${title} is refused`, async () => {
      // Media params carry the id of an upload
      expectProblem(await postQuote(await request(imageInput, { image })), [400, 404]);
    });
  }
  test('inputs: a missing required upload is 400 invalid_params', async () => {
    for (const [modelId, name] of [
      [imageInput, 'image'],
      [video, 'video'],
    ]) {
      const { [name]: _, ...params } = (await request(modelId)).params;
      expectIssueIfAny(expectProblem(await postQuote({ modelId, params }), 400, 'invalid_params'), name);
    }
  });
  decided('inputs: a video longer than maxInputSeconds is 400 input_duration', async (t) => {
    const { maxInputSeconds } = (await model(video)).inputLimits;
    const clip = clips.find((each) => each.seconds > maxInputSeconds + 0.5);
    if (!clip) return skip(t, `no clip longer than ${maxInputSeconds} s fits the upload bound`);
    const json = await request(video, { video: (await upload(clip)).id });
    expectProblem(await postQuote(json), 400, 'input_duration'); // Decisions, input_duration
    expectProblem(await postGeneration({ ...json, maxCoins: PLENTY, consent: true }), 400, 'input_duration');
  });
  decided('inputs: a video shorter than minInputSeconds is 400 input_duration', async (t) => {
    const { minInputSeconds = 0 } = (await model(video)).inputLimits;
    if (clips[0].seconds >= minInputSeconds) return skip(t, 'the model takes clips of two seconds');
    expectProblem(await postQuote(await request(video, { video: (await upload(clips[0])).id })), 400, 'input_duration');
  });
  decided('inputs: an image over maxInputBytes is 400 input_too_large', async (t) => {
    const { maxInputBytes = Infinity } = (await model(imageInput)).inputLimits ?? {};
    if (maxInputBytes > 18_000_000) return skip(t, 'the model takes every image that can be uploaded');
    const width = Math.ceil(Math.sqrt(maxInputBytes / 3)) + 16;
    const { id } = await upload({
      bytes: png({ width, height: width, store: true }),
      type: 'image/png',
      filename: 'big.png',
    });
    expectProblem(await postQuote(await request(imageInput, { image: id })), 400, 'input_too_large'); // Decisions, input_too_large
  });

  // Decisions, consent
  decided(
    'inputs: a model that requires consent without it is 400 consent_required, and no coins are held',
    async () => {
      const json = { ...(await request(consent)), maxCoins: PLENTY };
      await quiet();
      const { balance } = await account();
      expectProblem(await postGeneration(json), 400, 'consent_required');
      assert.deepEqual((await account()).balance, balance);
    },
  );
  decided('inputs: with consent true it is accepted and succeeds', async () => {
    const made = expectOk(
      await postGeneration({ ...(await request(consent)), maxCoins: PLENTY, consent: true }),
      201,
      schema.generation,
    );
    assert.equal((await waitTerminal(made.id)).status, 'succeeded');
  });
  test('inputs: consent false does not count as consent', async () => {
    expectProblem(await postGeneration({ ...(await request(consent)), maxCoins: PLENTY, consent: false }), 400, [
      'invalid_params',
      'consent_required',
    ]);
  });
  test('inputs: a quote does not require consent', async () => {
    assert.notEqual((await quote(await request(consent))).quoteToken, null); // Operation 3 has no such member
  });
});
