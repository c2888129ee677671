export type MediaKind = 'image' | 'video' | 'audio' | '3d' | 'text';

/** Whether a customer sent the file or a provider made it. Customers' files have limits, and fewer types. */
export type MediaPurpose = 'upload' | 'output';

export interface MediaFacts {
  kind: MediaKind;
  mimeType: string;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  transparent?: boolean;
}

export type MediaRefusalCode = 'upload_invalid' | 'upload_too_large' | 'upload_too_long';

/** The file is invalid. Any other error thrown by this module is internal. */
export class MediaRefused extends Error {
  override readonly name = 'MediaRefused';
  readonly code: MediaRefusalCode;

  constructor(code: MediaRefusalCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
