import Type from 'typebox';

export const MAX_NAME_LENGTH = 128;
/** OpenAI's largest prompt. The model has its own, usually lower, limit. */
export const MAX_TEXT_LENGTH = 32_000;
export const MAX_IMAGES = 10;
export const MAX_INPUT_IMAGES = 16;

export const ModelName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: 'The id of a model of this service, or a name of the alias table.',
});
export const Prompt = Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH });
export const Size = Type.String({
  pattern: '^(auto|[1-9][0-9]{1,4}x[1-9][0-9]{1,4})$',
  description: 'Width x height. The closest aspect ratio and resolution of the model are used.',
});
/** Identifies an end user of the client. It is not stored. */
export const User = Type.String({ maxLength: 512 });
/** Responses are not streamed. */
export const NoStream = Type.Literal(false);
