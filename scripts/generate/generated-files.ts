import { renderConfiguration } from './render-configuration.ts';
import { renderOpenapi } from './render-openapi.ts';
import { renderProblemList } from './render-problem-list.ts';
import { renderSdkErrors } from './render-sdk-errors.ts';
import { renderSdkSchemas } from './render-sdk-schemas.ts';

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
];
