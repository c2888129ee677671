import { API_TAGS, renderApiObjects, renderApiOverview, renderApiPage } from './render-api-reference.ts';
import { renderCliReference } from './render-cli-reference.ts';
import { renderConfiguration } from './render-configuration.ts';
import { renderOpenapi } from './render-openapi.ts';
import { renderProblemList } from './render-problem-list.ts';
import { renderPythonReference } from './render-python-reference.ts';
import { renderSdkErrors } from './render-sdk-errors.ts';
import { renderSdkSchemas } from './render-sdk-schemas.ts';
import { renderTypescriptReference } from './render-typescript-reference.ts';

interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Returns the content. Deterministic. */
  readonly render: () => string | Promise<string>;
}

/** All files that `npm run generate` writes. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'packages/contract/openapi.json', render: renderOpenapi },
  { path: 'packages/sdk/src/schemas.gen.ts', render: renderSdkSchemas },
  { path: 'packages/sdk/src/problem-errors.gen.ts', render: renderSdkErrors },
  { path: 'docs/problems/README.md', render: renderProblemList },
  { path: 'docs/operate/configuration.md', render: renderConfiguration },
  { path: 'docs/api/README.md', render: renderApiOverview },
  ...API_TAGS.map((tag) => ({ path: `docs/api/${tag}.md`, render: () => renderApiPage(tag) })),
  { path: 'docs/api/objects.md', render: renderApiObjects },
  { path: 'docs/clients/typescript-reference.md', render: renderTypescriptReference },
  { path: 'docs/clients/python-reference.md', render: renderPythonReference },
  { path: 'docs/clients/cli-reference.md', render: renderCliReference },
];
