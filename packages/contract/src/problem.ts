import Type, { type Static } from 'typebox';
import { ProblemCodeValue } from './named-values.ts';

export const Problem = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'Path of the documentation page of this code.' }),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    code: ProblemCodeValue,
    instance: Type.Optional(Type.String({ description: 'The request id.' })),
    issues: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { description: 'RFC 9457 problem details.' },
);
export type ProblemBody = Static<typeof Problem>;
export type Issue = NonNullable<ProblemBody['issues']>[number];
