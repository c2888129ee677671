const files: Readonly<Record<string, string>> = import.meta.glob('./pictures/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
});

/** What a model has made, small. Null for a model that the gallery does not show. */
export const pictureOf = (modelId: string): string | null => files[`./pictures/${modelId}.webp`] ?? null;
