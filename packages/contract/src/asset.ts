import Type, { type Static } from 'typebox';
import { DateTime, Nullable, Positive } from './building-blocks.ts';
import { AssetKindValue } from './named-values.ts';

export const DOWNLOAD_FORMATS = ['obj', 'fbx', 'usdz', 'stl'] as const;
export const STEMS = ['vocals', 'drums', 'bass', 'other'] as const;

export const Asset = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The value of a media param, and the id in GET /v1/assets/{id}.',
    }),
    kind: AssetKindValue,
    url: Type.String({ minLength: 1, description: 'Signed, short-lived download link.' }),
    thumbnailUrl: Type.String({ minLength: 1, description: 'Signed, short-lived link to a small preview image.' }),
    posterUrl: Nullable(Type.String()),
    mimeType: Type.String(),
    width: Nullable(Positive()),
    height: Nullable(Positive()),
    durationSeconds: Nullable(Type.Number({ exclusiveMinimum: 0 })),
    waveformUrl: Type.Optional(Nullable(Type.String())),
    transparent: Type.Optional(Type.Boolean()),
    downloads: Type.Optional(
      Type.Array(Type.Object({ format: Type.Enum(DOWNLOAD_FORMATS), url: Type.String(), bytes: Positive() })),
    ),
    stem: Type.Optional(Nullable(Type.Enum(STEMS))),
    subtitles: Type.Optional(Nullable(Type.Object({ srtUrl: Type.String(), vttUrl: Type.String() }))),
    expiresAt: Type.Optional(Nullable(DateTime('When the file is deleted.'))),
  },
  { description: 'An upload or an output file.' },
);
export type Asset = Static<typeof Asset>;
