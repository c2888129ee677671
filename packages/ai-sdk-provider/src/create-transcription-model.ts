import type { TranscriptionModelV4 } from '@ai-sdk/provider';
import { decodeBase64 } from './decode-base64.ts';
import { readSubtitles } from './read-subtitles.ts';
import { type ModelKind, type ModelRunner, PROVIDER } from './run-model.ts';

export function createTranscriptionModel(runner: ModelRunner, modelId: string): TranscriptionModelV4 {
  const kind: ModelKind = {
    modelId,
    modelType: 'transcriptionModel',
    fits: ({ taskType }) => taskType === 'audio.stt',
  };
  return {
    specificationVersion: 'v4',
    provider: `${PROVIDER}.transcription`,
    modelId,
    async doGenerate(options) {
      const { audio, abortSignal } = options;
      const { generation, warnings, files } = await runner.run(kind, options, (writer) => {
        writer.attach(['audio'], [typeof audio === 'string' ? decodeBase64(audio) : audio], 'recordings');
        if (options.timestampGranularities?.includes('word')) {
          writer.warn(
            'unsupported',
            'timestampGranularities',
            'Times are those of the subtitles, not of single words.',
          );
        }
      });
      const link = generation.outputs[0]?.subtitles?.srtUrl;
      const subtitles =
        link === undefined
          ? ''
          : await runner.readText(link, abortSignal).catch((error: unknown) => {
              // The transcript is paid for: it is worth more than its times.
              warnings.push({ type: 'other', message: `The subtitles could not be read: ${(error as Error).message}` });
              return '';
            });
      const segments = readSubtitles(subtitles);
      const { id, coinsCharged, createdAt } = generation;
      return {
        text: new TextDecoder().decode(files[0]).trim(),
        segments,
        language: undefined,
        durationInSeconds: generation.outputs[0]?.durationSeconds ?? segments.at(-1)?.endSecond,
        warnings,
        response: { timestamp: new Date(createdAt), modelId },
        providerMetadata: { [PROVIDER]: { generationId: id, coinsCharged } },
      };
    },
  };
}
