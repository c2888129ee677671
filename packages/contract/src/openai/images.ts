import Type, { type Static } from 'typebox';
import { Closed } from '../building-blocks.ts';
import { MAX_IMAGES, ModelName, NoStream, Prompt, Size, User } from './fields.ts';

export const IMAGE_RESPONSE_FORMATS = ['url', 'b64_json'] as const;
export type ImageResponseFormat = (typeof IMAGE_RESPONSE_FORMATS)[number];

const shared = {
  model: Type.Optional(ModelName),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_IMAGES })),
  size: Type.Optional(Size),
  response_format: Type.Optional(Type.Enum(IMAGE_RESPONSE_FORMATS)),
  user: Type.Optional(User),
};

/** Fields of both operations with a prompt. A value that a model cannot follow is refused later, with its name. */
const prompted = {
  prompt: Prompt,
  ...shared,
  quality: Type.Optional(Type.Enum(['auto', 'standard', 'hd', 'low', 'medium', 'high', 'xhigh', 'max'])),
  background: Type.Optional(Type.Enum(['auto', 'opaque', 'transparent'])),
  output_format: Type.Optional(Type.Enum(['png', 'jpeg', 'webp'])),
  output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  safety_identifier: Type.Optional(User),
  stream: Type.Optional(NoStream),
  partial_images: Type.Optional(Type.Literal(0)),
};

export const CreateImageBody = Type.Object(
  {
    ...prompted,
    style: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    moderation: Type.Optional(Type.Enum(['auto'])),
  },
  Closed,
);
export type CreateImageBody = Static<typeof CreateImageBody>;

export const EditImageFields = Type.Object(
  { ...prompted, input_fidelity: Type.Optional(Type.Enum(['low', 'high'])) },
  Closed,
);
export type EditImageFields = Static<typeof EditImageFields>;

export const VaryImageFields = Type.Object(shared, Closed);
export type VaryImageFields = Static<typeof VaryImageFields>;

/** An item has `b64_json` or `url`. */
export const ImagesResponse = Type.Object({
  created: Type.Integer(),
  data: Type.Array(Type.Object({ b64_json: Type.Optional(Type.String()), url: Type.Optional(Type.String()) })),
});
export type ImagesResponse = Static<typeof ImagesResponse>;
