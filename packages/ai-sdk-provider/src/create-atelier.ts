import {
  type EmbeddingModelV4,
  type ImageModelV4,
  type LanguageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type SpeechModelV4,
  type TranscriptionModelV4,
} from '@ai-sdk/provider';
import { Atelier, type AtelierOptions } from '@atelier/sdk';
import { createImageModel } from './create-image-model.ts';
import { createSpeechModel } from './create-speech-model.ts';
import { createTranscriptionModel } from './create-transcription-model.ts';
import { createModelRunner } from './run-model.ts';

export interface AtelierProviderOptions extends AtelierOptions {
  /** The most that one call of a model may cost. `providerOptions.atelier.maxCoins` of a call takes precedence. */
  readonly maxCoins?: number | undefined;
}

export interface AtelierProvider extends ProviderV4 {
  image(modelId: string): ImageModelV4;
  speech(modelId: string): SpeechModelV4;
  speechModel(modelId: string): SpeechModelV4;
  transcription(modelId: string): TranscriptionModelV4;
  transcriptionModel(modelId: string): TranscriptionModelV4;
}

/** The models of one service for `generateImage`, `generateSpeech` and `transcribe`. */
export function createAtelier({ maxCoins, ...options }: AtelierProviderOptions = {}): AtelierProvider {
  const { fetch = (...args) => globalThis.fetch(...args) } = options;
  const runner = createModelRunner({ client: new Atelier(options), fetch, maxCoins });
  const image = (modelId: string) => createImageModel(runner, modelId);
  const speech = (modelId: string) => createSpeechModel(runner, modelId);
  const transcription = (modelId: string) => createTranscriptionModel(runner, modelId);
  return {
    specificationVersion: 'v4',
    image,
    imageModel: image,
    speech,
    speechModel: speech,
    transcription,
    transcriptionModel: transcription,
    languageModel(modelId): LanguageModelV4 {
      throw new NoSuchModelError({ modelId, modelType: 'languageModel' });
    },
    embeddingModel(modelId): EmbeddingModelV4 {
      throw new NoSuchModelError({ modelId, modelType: 'embeddingModel' });
    },
  };
}
