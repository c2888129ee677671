// Resources, "Asset": the members that only some kinds of files have.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, expectOk, models, PLENTY, postGeneration, requiredParams, upload, waitTerminal } from './kit.mjs';
import { accepted } from './media.mjs';
import { skip } from './mode.mjs';
import * as schema from './schema.mjs';

const taking = async (task, param) =>
  (await models()).filter(
    (entry) => entry.taskType === task && (!param || entry.params.some((each) => each.name === param)),
  );

/** The outputs of a run of the model with its required params and these. */
async function outputsOf(entry, more = {}) {
  const json = { modelId: entry.id, params: { ...(await requiredParams(entry)), ...more }, maxCoins: PLENTY };
  let answer = await postGeneration(json);
  if (answer.body?.code === 'consent_required') answer = await postGeneration({ ...json, consent: true });
  const ended = await waitTerminal(expectOk(answer, 201, schema.generation).id);
  assert.equal(ended.status, 'succeeded', `${entry.id}: ${JSON.stringify(ended.error)}`);
  return ended.outputs;
}
async function download(url) {
  const answer = await call(`GET ${url}`);
  assert.equal(answer.status, 200, url);
  assert.ok(answer.bytes.length > 0, url);
  return answer;
}

test('outputs: subtitles are SubRip and WebVTT files of the same lines', async (t) => {
  const [entry] = await taking('audio.stt');
  if (!entry) return skip(t, 'no model transcribes');
  const [{ subtitles }] = await outputsOf(entry);
  if (!subtitles) return skip(t, `${entry.id} makes no subtitles`);
  const [srt, vtt] = [await download(subtitles.srtUrl), await download(subtitles.vttUrl)];
  assert.match(srt.text, /^\uFEFF?1\r?\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\r?\n\S/);
  assert.match(vtt.text, /^\uFEFF?WEBVTT\b/);
  const cues = (text) => text.split(/\r?\n/).filter((line) => line.includes('-->')).length;
  assert.equal(cues(srt.text), cues(vtt.text));
});
for (const task of ['3d.from-text', '3d.from-image']) {
  test(`outputs: downloads of ${task} are files of the stated format and size`, async (t) => {
    const [entry] = await taking(task);
    if (!entry) return skip(t, `no model of ${task}`);
    const [{ kind, downloads }] = await outputsOf(entry);
    assert.equal(kind, '3d');
    if (!downloads?.length) return skip(t, `${entry.id} makes no downloads`);
    assert.equal(new Set(downloads.map((each) => each.format)).size, downloads.length, 'one file of each format');
    for (const { format, url, bytes } of downloads) {
      const file = await download(url);
      assert.equal(file.bytes.length, bytes, format);
      if (format === 'obj') assert.match(file.text, /^v /m);
      if (format === 'stl') assert.ok(file.text.startsWith('solid') || bytes === 84 + 50 * file.bytes.readUInt32LE(80));
    }
  });
}
test('outputs: stem names the stem that was asked for', async (t) => {
  const [entry] = await taking('audio.isolate', 'stem');
  if (!entry) return skip(t, 'no model has the param stem');
  const { values } = entry.params.find((each) => each.name === 'stem');
  for (const stem of values) {
    const [output] = await outputsOf(entry, { stem });
    assert.equal(output.kind, 'audio');
    if (output.stem === undefined) return skip(t, `${entry.id} does not name the stem`);
    assert.equal(output.stem, stem);
  }
});
test('outputs: waveformUrl of audio can be downloaded without a key', async (t) => {
  const [entry] = [...(await taking('audio.sfx')), ...(await taking('audio.music')), ...(await taking('audio.tts'))];
  const files = [
    await upload(accepted.find((each) => each.kind === 'audio')),
    ...(entry ? await outputsOf(entry) : []),
  ];
  const urls = files.map((each) => each.waveformUrl).filter(Boolean);
  if (urls.length === 0) return skip(t, 'no waveforms');
  assert.equal(urls.length, files.length, 'uploads and outputs alike');
  for (const url of urls) await download(url);
});
test('outputs: files other than audio have no waveform', async () => {
  const file = await upload(accepted[0]);
  assert.ok(file.waveformUrl === undefined || file.waveformUrl === null);
});
