import type { SpeechModelV4 } from '@ai-sdk/provider';
import { type ModelKind, type ModelRunner, PROVIDER } from './run-model.ts';

export function createSpeechModel(runner: ModelRunner, modelId: string): SpeechModelV4 {
  const kind: ModelKind = { modelId, modelType: 'speechModel', fits: ({ taskType }) => taskType === 'audio.tts' };
  return {
    specificationVersion: 'v4',
    provider: `${PROVIDER}.speech`,
    modelId,
    async doGenerate(options) {
      const { generation, warnings, files } = await runner.run(kind, options, (writer) => {
        writer.set('text', options.text, 'text');
        writer.set('voice', options.voice, 'voice');
        writer.set('language', options.language, 'language');
        writer.set('speed', options.speed, 'speed');
        writer.set('format', options.outputFormat, 'outputFormat');
        if (options.instructions !== undefined) {
          writer.warn('unsupported', 'instructions', 'Models take no instructions. Choose another voice.');
        }
      });
      const { id, coinsCharged, createdAt } = generation;
      return {
        audio: files[0] ?? new Uint8Array(),
        warnings,
        response: { timestamp: new Date(createdAt), modelId },
        providerMetadata: { [PROVIDER]: { generationId: id, coinsCharged } },
      };
    },
  };
}
