/** The enums of the API. Values may be added within version 1, never removed. */

export const PARAM_NAMES = [
  'prompt',
  'negative_prompt',
  'aspect_ratio',
  'resolution',
  'duration',
  'num_outputs',
  'seed',
  'images',
  'image',
  'first_frame',
  'last_frame',
  'generate_audio',
  'upscale_factor',
  'mask',
  'expand_left',
  'expand_right',
  'expand_top',
  'expand_bottom',
  'video',
  'audio',
  'fps',
  'effect',
  'text',
  'voice',
  'language',
  'speed',
  'lyrics',
  'style',
  'instrumental',
  'stem',
  'polycount',
  'texture',
  'format',
  'garment',
  'lighting',
  'light_direction',
  'palette',
  'pbr',
  'quad',
  'geometry_quality',
  'texture_quality',
] as const;
export type ParamName = (typeof PARAM_NAMES)[number];

export const TASK_TYPES = [
  'image.generate',
  'image.edit',
  'video.generate',
  'video.animate',
  'image.upscale',
  'image.remove-bg',
  'image.inpaint',
  'image.outpaint',
  'image.relight',
  'image.vectorize',
  'image.restore',
  'image.effect',
  'video.v2v',
  'video.extend',
  'video.upscale',
  'video.interpolate',
  'video.remove-bg',
  'video.add-audio',
  'video.lipsync',
  'video.effect',
  'video.reframe',
  'audio.tts',
  'audio.music',
  'audio.sfx',
  'audio.voice-change',
  'audio.isolate',
  'audio.stt',
  '3d.from-text',
  '3d.from-image',
  'image.erase',
  'image.reframe',
  'image.sketch',
  'image.restyle',
  'image.colorize',
  'image.retouch',
  'image.product-shot',
  'image.replace-bg',
  'image.try-on',
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const MODALITIES = ['image', 'video', 'audio', '3d'] as const;
export type Modality = (typeof MODALITIES)[number];

export const WORKSPACES = ['image', 'video', 'audio', '3d', 'tools'] as const;
export type Workspace = (typeof WORKSPACES)[number];

export const ASSET_KINDS = ['image', 'video', 'audio', '3d', 'text'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export const STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'canceled'] as const;
export type GenerationStatus = (typeof STATUSES)[number];

export const FAILURE_CODES = ['content_policy', 'invalid_input', 'unavailable', 'timeout', 'internal'] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** What customers read about a failure: one sentence per code. The words of a provider are for operators only. */
export const FAILURE_MESSAGES: Readonly<Record<FailureCode, string>> = {
  content_policy: 'The request or its outputs were refused by the content policy.',
  invalid_input: 'The model cannot use this input. Use other files or other params.',
  unavailable: 'The model was unavailable, also after retries. Try again later.',
  timeout: 'The generation exceeded the deadline of its model. Try again, or request less.',
  internal: 'The generation failed because of an internal error.',
};

export const SCOPES = ['generate', 'read', 'uploads', 'account'] as const;
export type Scope = (typeof SCOPES)[number];

export const CHANNELS = ['web', 'api', 'mcp'] as const;
export type Channel = (typeof CHANNELS)[number];

export const UPLOAD_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'audio/mpeg',
  'audio/wav',
  'audio/mp4',
  'audio/ogg',
  'video/mp4',
  'video/webm',
  'video/quicktime',
] as const;
export type UploadType = (typeof UPLOAD_TYPES)[number];

export const UI_CONTROLS = [
  'prompt',
  'textarea',
  'aspect',
  'segmented',
  'select',
  'switch',
  'seed',
  'image',
  'images',
  'script',
  'lyrics',
  'tags',
  'voice',
  'language',
  'slider',
  'audio',
  'video',
  'mask',
  'expand',
  'effect',
] as const;

export const UI_GROUPS = ['prompt', 'inputs', 'basic', 'advanced'] as const;

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
export const EFFECT_ID_PATTERN = '^[a-z0-9][a-z0-9-]{0,63}$';
export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9_-]{16,128}$';
