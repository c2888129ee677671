import { problems } from '../../packages/contract/src/index.ts';
import { buildOpenApi } from '../../packages/contract/src/openapi/build-open-api.ts';

const HEADER = `// Generated from the table of problems by \`npm run generate\`. Do not edit.

import { ApiError } from './api-error.ts';
`;

/** A class per problem code of the public API, and the map that the client reads. */
export function renderSdkErrors(): string {
  const { components } = buildOpenApi() as unknown as {
    components: { schemas: { ProblemCode: { enum: (keyof typeof problems)[] } } };
  };
  const codes = components.schemas.ProblemCode.enum;
  const classes = codes.map(
    (code) => `/** ${problems[code].status}: ${problems[code].title}. */
export class ${nameClass(code)} extends ApiError<'${code}'> {
  override get name(): string {
    return '${nameClass(code)}';
  }
}
`,
  );
  const rows = codes.map((code) => `  ${code}: ${nameClass(code)},`);
  return [HEADER, ...classes, `export const problemErrors = {\n${rows.join('\n')}\n} as const;\n`].join('\n');
}

const nameClass = (code: string) =>
  `${code
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')}Error`;
