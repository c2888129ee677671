import Type, { type Static } from 'typebox';
import { Closed } from '../building-blocks.ts';
import { MAX_TEXT_LENGTH, ModelName, NoStream } from './fields.ts';

export const CreateSpeechBody = Type.Object(
  {
    input: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
    model: Type.Optional(ModelName),
    voice: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    response_format: Type.Optional(Type.Enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])),
    instructions: Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH })),
    stream_format: Type.Optional(Type.Enum(['audio'])),
  },
  Closed,
);
export type CreateSpeechBody = Static<typeof CreateSpeechBody>;

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export const CreateTranscriptionFields = Type.Object(
  {
    model: Type.Optional(ModelName),
    language: Type.Optional(Type.String({ minLength: 2, maxLength: 16 })),
    response_format: Type.Optional(Type.Enum(TRANSCRIPT_FORMATS)),
    prompt: Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    stream: Type.Optional(NoStream),
  },
  Closed,
);
export type CreateTranscriptionFields = Static<typeof CreateTranscriptionFields>;

export const Transcription = Type.Object({
  text: Type.String(),
  usage: Type.Optional(Type.Object({ type: Type.Literal('duration'), seconds: Type.Number() })),
});
export type Transcription = Static<typeof Transcription>;
