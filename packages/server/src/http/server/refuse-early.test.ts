import { describe, expect, test } from 'vitest';
import { PUBLIC_PATHS } from '../app.ts';
import { createMethodLookup } from './refuse-early.ts';

const allowedMethods = createMethodLookup(PUBLIC_PATHS);

describe('the methods of a path', () => {
  test.each([
    ['/v1/models', ['GET', 'HEAD']],
    ['/v1/models?a=/v1/quotes', ['GET', 'HEAD']],
    ['/v1/generations', ['POST', 'GET', 'HEAD']],
    ['/v1/generations/abc', ['GET', 'HEAD']],
    ['/v1/generations/abc/cancel', ['POST']],
    ['/problems/not_found', ['GET', 'HEAD']],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/openai/v1/images/generations', ['POST']],
    ['/openai/v1/videos', ['POST', 'GET', 'HEAD']],
    ['/openai/v1/videos/abc/content', ['GET', 'HEAD']],
    ['http://other.example/v1/quotes', ['POST']],
    ['/', ['GET', 'HEAD']],
    ['/mcp', ['POST']],
  ])('%s', (url, methods) => {
    expect(allowedMethods(url)).toEqual(methods);
  });

  test.each(['/v1', '/v1/models/', '/v1/generations/a/b', '/openapiXjson', '*', '', 'ftp://a/v1/models'])(
    '%j is not a known path',
    (url) => {
      expect(allowedMethods(url)).toEqual([]);
    },
  );
});
