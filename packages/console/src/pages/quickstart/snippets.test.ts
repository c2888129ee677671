import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { createRequest, firstRequest, verifySamples } from './snippets.ts';

const API = 'https://api.example.com';
const codeOf = (samples: readonly { label: string; code: string }[], label: string): string =>
  samples.find((sample) => sample.label === label)!.code;

test('a shell passes the body on as it is, quotes included', () => {
  const body = { modelId: 'm', params: { prompt: `it's "fine" $HOME` }, maxCoins: 3 };
  const command = codeOf(createRequest(API, body), 'cURL').replace('curl -X POST', 'printf "%s\\n"');
  const printed = execFileSync('bash', ['-c', command], { encoding: 'utf8' });
  expect(JSON.parse(printed.slice(printed.indexOf('\n{')))).toEqual(body);
});

test('the TypeScript is valid and the key is only in the environment', () => {
  for (const { code } of firstRequest({ apiUrl: API, key: null })) expect(code).not.toContain('sk_');
  const { diagnostics } = ts.transpileModule(codeOf(firstRequest({ apiUrl: API, key: null }), 'TypeScript'), {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.ESNext },
  });
  expect(diagnostics).toEqual([]);
});

test('the Python sample verifies a signature, and refuses another body', () => {
  const secret = 'whsec_dGVzdA';
  const signature = createHmac('sha256', secret).update('1767609062.{}').digest('hex');
  const call = (body: string) => `is_genuine(b'${body}', 't=1767609062,v1=${signature}', '${secret}', now=1767609062)`;
  const program = `${codeOf(verifySamples, 'Python')}\nprint(${call('{}')}, ${call('{ }')})`;
  expect(execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim()).toBe('True False');
});
