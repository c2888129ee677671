import Type, { type TSchema } from 'typebox';
import { type Scope, UUID_PATTERN } from '../vocabulary.ts';
import { CreateSpeechBody, CreateTranscriptionFields, Transcription } from './audio.ts';
import { MAX_INPUT_IMAGES, MAX_NAME_LENGTH } from './fields.ts';
import { CreateImageBody, EditImageFields, ImagesResponse, VaryImageFields } from './images.ts';
import { OpenaiModel, OpenaiModelList } from './models.ts';
import { CreateVideoBody, ListVideosQuery, Video, VideoContentQuery, VideoList } from './videos.ts';

export interface OpenaiOperationRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  /** What the API key needs: all of them. Empty: any valid key. */
  readonly scopes: readonly Scope[];
  /** Spends coins: needs a ceiling. */
  readonly spends?: true;
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** The fields of the body, of JSON or of a form. Null is the same as leaving a field out. */
  readonly body?: TSchema;
  /** The file fields of a form, with the largest number of files. */
  readonly files?: Readonly<Record<string, number>>;
  /** The body is always a form; otherwise it may also be JSON. */
  readonly form?: true;
  /** Null: the response is a file or text. */
  readonly response: TSchema | null;
}

export const OPENAI_PREFIX = '/openai/v1';
/** The ceiling of one request, in coins. */
export const MAX_COINS_HEADER = 'x-max-coins';
/** `true` if everyone whose likeness or voice is used has agreed. */
export const CONSENT_HEADER = 'x-consent';

const VideoPath = Type.Object({ id: Type.String({ pattern: UUID_PATTERN }) });

/** Every operation of the OpenAI-compatible API. */
export const openaiOperations = {
  createImage: {
    method: 'POST',
    path: '/images/generations',
    summary: 'Generate images from a prompt',
    scopes: ['generate', 'read'],
    spends: true,
    body: CreateImageBody,
    response: ImagesResponse,
  },
  editImage: {
    method: 'POST',
    path: '/images/edits',
    summary: 'Edit images with a prompt',
    scopes: ['generate', 'read', 'uploads'],
    spends: true,
    body: EditImageFields,
    files: { image: MAX_INPUT_IMAGES, mask: 1 },
    form: true,
    response: ImagesResponse,
  },
  varyImage: {
    method: 'POST',
    path: '/images/variations',
    summary: 'Make variations of an image',
    scopes: ['generate', 'read', 'uploads'],
    spends: true,
    body: VaryImageFields,
    files: { image: 1 },
    form: true,
    response: ImagesResponse,
  },
  createSpeech: {
    method: 'POST',
    path: '/audio/speech',
    summary: 'Read a text aloud',
    scopes: ['generate', 'read'],
    spends: true,
    body: CreateSpeechBody,
    response: null,
  },
  createTranscription: {
    method: 'POST',
    path: '/audio/transcriptions',
    summary: 'Transcribe speech',
    scopes: ['generate', 'read', 'uploads'],
    spends: true,
    body: CreateTranscriptionFields,
    files: { file: 1 },
    form: true,
    response: Transcription,
  },
  createVideo: {
    method: 'POST',
    path: '/videos',
    summary: 'Start a video',
    scopes: ['generate', 'read', 'uploads'],
    spends: true,
    body: CreateVideoBody,
    files: { input_reference: 1 },
    response: Video,
  },
  listVideos: {
    method: 'GET',
    path: '/videos',
    summary: 'List videos',
    scopes: ['read'],
    query: ListVideosQuery,
    response: VideoList,
  },
  getVideo: {
    method: 'GET',
    path: '/videos/{id}',
    summary: 'Get a video',
    scopes: ['read'],
    params: VideoPath,
    response: Video,
  },
  getVideoContent: {
    method: 'GET',
    path: '/videos/{id}/content',
    summary: 'Download a video',
    scopes: ['read'],
    params: VideoPath,
    query: VideoContentQuery,
    response: null,
  },
  listOpenaiModels: {
    method: 'GET',
    path: '/models',
    summary: 'List the models that these operations can use',
    scopes: [],
    response: OpenaiModelList,
  },
  getOpenaiModel: {
    method: 'GET',
    path: '/models/{id}',
    summary: 'Get a model',
    scopes: [],
    params: Type.Object({ id: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) }),
    response: OpenaiModel,
  },
} as const satisfies Record<string, OpenaiOperationRow>;

export type OpenaiOperationId = keyof typeof openaiOperations;
