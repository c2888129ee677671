import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { buildOpenApi } from '../../packages/contract/src/openapi/build-open-api.ts';

const HEADER = '// Generated from openapi.json by `npm run generate`. Do not edit.\n\n';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Operation {
  responses: Record<string, unknown>;
}

/** The types of the TypeScript client. Error responses are left out: the client turns each into an error class. */
export async function renderSdkSchemas(): Promise<string> {
  const document = structuredClone(buildOpenApi()) as unknown as {
    paths: Record<string, Record<string, Operation>>;
    webhooks?: unknown;
  };
  delete document.webhooks;
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => Number(status) < 400),
      );
    }
  }
  return HEADER + astToString(await openapiTS(document as unknown as OpenAPI3, { silent: true }));
}
