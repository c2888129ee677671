import { buildOpenApi } from '../../packages/contract/src/openapi/build-open-api.ts';

export function renderOpenapi(): string {
  return `${JSON.stringify(buildOpenApi(), null, 2)}\n`;
}
