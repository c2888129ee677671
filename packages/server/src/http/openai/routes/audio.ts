import { findInputFacts } from '../../../domain/assets/find-assets.ts';
import type { OpenaiContext, OpenaiRoutes } from '../openai-handler.ts';
import { findOutput, openOutput, readTextOutput } from '../read-output.ts';
import { makeNow } from '../run-call.ts';

export const audioRoutes: OpenaiRoutes<'createSpeech' | 'createTranscription'> = {
  async createSpeech(context, input) {
    const generation = await makeNow(context, input, 'speech');
    return { file: await openOutput(context.services, findOutput(generation, 'audio')) };
  },

  async createTranscription(context, input) {
    const generation = await makeNow(context, input, 'transcriptions');
    const output = findOutput(generation, 'text');
    const format = input.fields.response_format ?? 'json';
    if (format === 'srt' || format === 'vtt') return { text: await readTextOutput(context.services, output, format) };
    const text = await readTextOutput(context.services, output);
    if (format === 'text') return { text };
    const seconds = await findSeconds(context, { accountId: input.caller.accountId, id: generation.params.audio });
    return { json: { text, ...(seconds === null ? {} : { usage: { type: 'duration' as const, seconds } }) } };
  },
};

/** Of the recording that the generation used; null if it is no longer kept. */
async function findSeconds(
  { services }: OpenaiContext,
  recording: { accountId: string; id: unknown },
): Promise<number | null> {
  const { accountId, id } = recording;
  const facts = typeof id === 'string' ? await findInputFacts(services, { accountId, ids: [id] }) : null;
  return facts?.get(id as string)?.durationSeconds ?? null;
}
