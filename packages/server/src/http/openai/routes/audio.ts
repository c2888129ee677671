import type { OpenaiRoutes } from '../openai-handler.ts';
import { findOutput, openOutput, readTextOutput } from '../read-output.ts';
import { makeNow } from '../run-call.ts';

export const audioRoutes: OpenaiRoutes<'createSpeech' | 'createTranscription'> = {
  async createSpeech(context, input) {
    const { generation } = await makeNow(context, input, 'speech');
    return { file: await openOutput(context.services, findOutput(generation, 'audio')) };
  },

  async createTranscription(context, input) {
    const { generation } = await makeNow(context, input, 'transcriptions');
    const output = findOutput(generation, 'text');
    const format = input.fields.response_format ?? 'json';
    if (format === 'srt' || format === 'vtt') return { text: await readTextOutput(context.services, output, format) };
    const text = await readTextOutput(context.services, output);
    if (format === 'text') return { text };
    const seconds = input.files[0]?.asset.durationSeconds ?? null;
    return { json: { text, ...(seconds === null ? {} : { usage: { type: 'duration' as const, seconds } }) } };
  },
};
