import { renderConfiguration } from './render-configuration.ts';
import { renderOpenapi } from './render-openapi.ts';
import { renderProblemList } from './render-problem-list.ts';

interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Returns the content. Deterministic. */
  readonly render: () => string | Promise<string>;
}

/** All files that `npm run generate` writes. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'packages/contract/openapi.json', render: renderOpenapi },
  { path: 'docs/problems/README.md', render: renderProblemList },
  { path: 'docs/operate/configuration.md', render: renderConfiguration },
];
