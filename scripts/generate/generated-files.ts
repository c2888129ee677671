import { alerts } from '../monitoring/alerts.ts';
import { renderDashboard } from '../monitoring/render-dashboard.ts';
import { renderRuleTests } from '../monitoring/render-rule-tests.ts';
import { renderRules } from '../monitoring/render-rules.ts';
import { renderRunbookList } from '../monitoring/render-runbook-list.ts';
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
  { path: 'docs/operate/runbooks/README.md', render: renderRunbookList },
  { path: 'deploy/monitoring/alerts.yaml', render: () => renderRules(alerts) },
  { path: 'deploy/monitoring/alerts.test.yaml', render: () => renderRuleTests() },
  { path: 'deploy/monitoring/dashboard.json', render: renderDashboard },
];
