/**
 * Requests as chat programs send them, by hand instead of with the official client. Written after the public sources of Open
 * WebUI (routers of images and audio) and LibreChat (image tools, speech services).
 */
export interface ProgramRequest {
  readonly path: string;
  readonly body: Record<string, unknown> | FormData;
}

export interface ProgramFiles {
  readonly picture: Uint8Array<ArrayBuffer>;
  /** As WAV. */
  readonly recording: Uint8Array<ArrayBuffer>;
}

const pngOf = ({ picture }: ProgramFiles) => new Blob([picture], { type: 'image/png' });

function formOf(fields: Readonly<Record<string, string>>, files: ReadonlyArray<[string, Blob, string]>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append(...file);
  return form;
}

export const openWebui = {
  image: (): ProgramRequest => ({
    path: '/images/generations',
    body: { model: 'canvas', prompt: 'a lighthouse', n: 1, size: '512x512', response_format: 'b64_json' },
  }),
  /** For names that begin with gpt-image it leaves the format out. */
  namedImage: (): ProgramRequest => ({
    path: '/images/generations',
    body: { model: 'gpt-image-1.5', prompt: 'a harbour', n: 1, size: 'auto' },
  }),
  edit: (files: ProgramFiles): ProgramRequest => ({
    path: '/images/edits',
    body: formOf({ model: 'gpt-image-1', prompt: 'add a hat' }, [['image', pngOf(files), 'image.png']]),
  }),
  editOfTwo: (files: ProgramFiles): ProgramRequest => ({
    path: '/images/edits',
    body: formOf({ model: 'collage', prompt: 'side by side', n: '1', response_format: 'b64_json' }, [
      ['image[]', pngOf(files), 'image.png'],
      ['image[]', pngOf(files), 'image.png'],
    ]),
  }),
  speech: (): ProgramRequest => ({
    path: '/audio/speech',
    body: { model: 'tts-1', input: 'Good morning.', voice: 'alloy' },
  }),
  transcription: ({ recording }: ProgramFiles): ProgramRequest => ({
    path: '/audio/transcriptions',
    body: formOf({ model: 'whisper-1' }, [['file', new Blob([recording]), 'd2f1.wav']]),
  }),
};

export const libreChat = {
  edit: (files: ProgramFiles): ProgramRequest => ({
    path: '/images/edits',
    body: formOf({ model: 'gpt-image-1', prompt: 'add a scarf', quality: 'auto', size: 'auto' }, [
      ['image[]', pngOf(files), 'photo.png'],
    ]),
  }),
  speech: (): ProgramRequest => ({
    path: '/audio/speech',
    body: { input: 'Good evening.', model: 'tts-1', voice: 'nova' },
  }),
  transcription: ({ recording }: ProgramFiles): ProgramRequest => ({
    path: '/audio/transcriptions',
    body: formOf({ model: 'whisper-1', language: 'en' }, [
      ['file', new Blob([recording], { type: 'audio/wav' }), 'audio.wav'],
    ]),
  }),
};

/** What LibreChat gives to the official client. */
export const libreChatImage = {
  model: 'gpt-image-2.5-flare',
  prompt: 'a windmill',
  n: 1,
  background: 'auto',
  output_format: 'png',
  quality: 'auto',
  size: 'auto',
} as const;
