// Decisions, OpenAPI: the public description of the service.

import assert from 'node:assert/strict';
import { call, expectOk } from './kit.mjs';
import { decided } from './mode.mjs';

decided('discovery: GET /openapi.json is public and describes version 3.1', async () => {
  // Versioning 1: described in OpenAPI 3.1, interface version 1.0.0
  const description = expectOk(await call('GET /openapi.json'), 200);
  assert.match(description.openapi, /^3\.1\./);
  assert.match(description.info.version, /^1\./);
});
decided('discovery: the description contains the eleven operations', async () => {
  const { paths } = (await call('GET /openapi.json')).body;
  const shape = (path) => path.replace(/\{[^}]+\}/g, '{}');
  const has = (method, path) =>
    Object.entries(paths).some(([each, item]) => shape(each) === shape(path) && item[method]);
  for (const operation of [
    'get /v1/models',
    'get /v1/effects',
    'post /v1/quotes',
    'post /v1/generations',
    'get /v1/generations',
    'get /v1/generations/{id}',
    'post /v1/generations/{id}/cancel',
    'get /v1/generations/concurrency',
    'post /v1/uploads',
    'get /v1/assets/{id}',
    'get /v1/account',
  ]) {
    assert.ok(has(...operation.split(' ')), operation);
  }
});
decided('discovery: GET /docs and GET /llms.txt are public', async () => {
  for (const path of ['/docs', '/llms.txt'])
    assert.ok([200, 301, 302, 307, 308].includes((await call(`GET ${path}`)).status), path);
});
decided('discovery: the root links to the description', async () => {
  assert.match((await call('GET /')).headers.get('link') ?? '', /rel="?service-desc"?/); // Decisions: Link: rel="service-desc" on the root
});
