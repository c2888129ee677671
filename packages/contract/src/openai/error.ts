import Type, { type Static } from 'typebox';
import { Nullable } from '../building-blocks.ts';

export const OPENAI_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'insufficient_quota',
  'rate_limit_error',
  'server_error',
] as const;
export type OpenaiErrorType = (typeof OPENAI_ERROR_TYPES)[number];

export const OpenaiErrorBody = Type.Object({
  error: Type.Object({
    message: Type.String({ minLength: 1 }),
    type: Type.Enum(OPENAI_ERROR_TYPES),
    param: Nullable(Type.String()),
    code: Type.String({ minLength: 1 }),
  }),
});
export type OpenaiErrorBody = Static<typeof OpenaiErrorBody>;
