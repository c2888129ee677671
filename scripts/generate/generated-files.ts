import { renderConfiguration } from './render-configuration.ts';
import { renderOpenapi } from './render-openapi.ts';
import { renderProblemList } from './render-problem-list.ts';

interface GeneratedFile {
  /** From the root of the repository. */
  readonly path: string;
  /** The whole content. The same tables always give the same text. */
  readonly render: () => string | Promise<string>;
}

/** Everything that `npm run generate` writes. A new generated file is one more row. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'packages/contract/openapi.json', render: renderOpenapi },
  { path: 'docs/problems/README.md', render: renderProblemList },
  { path: 'docs/operate/configuration.md', render: renderConfiguration },
];
