import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  registerBuildInfo,
  registerCircuits,
  registerOpenWork,
} from '@atelier/server/entry/roles/open-work-metrics.ts';
import {
  registerCatalog,
  registerDatabasePool,
  registerSpool,
  registerUnsafeSettings,
} from '@atelier/server/entry/roles/process-metrics.ts';
import { watchDependencies } from '@atelier/server/entry/roles/watch-dependencies.ts';
import type { Db } from '@atelier/server/platform/db.ts';
import { createTelemetry } from '@atelier/server/platform/telemetry.ts';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../services/find-program.ts';
import { alertCases } from './alert-cases.ts';
import { alerts, exprOf, runbookOf } from './alerts.ts';
import { dashboard } from './panels.ts';
import { renderRuleTests } from './render-rule-tests.ts';
import { renderRules } from './render-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MONITORING = join(ROOT, 'deploy/monitoring');
const TIMEOUT_MS = 240_000;

const promtool = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((done) => {
    const program = findProgram({ program: 'promtool', debianPackage: 'prometheus' });
    execFile(program, args, { cwd: MONITORING, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : 1, text: stdout + stderr }),
    );
  });

/** Every metric that a process can have. */
const metrics = await (async () => {
  const { registry } = createTelemetry();
  registerOpenWork(registry, async () => null);
  registerCircuits(registry, () => []);
  registerBuildInfo(registry, { version: '0', commit: '', role: 'api' });
  registerDatabasePool(registry, { pool: { totalCount: 0, idleCount: 0, waitingCount: 0 } } as unknown as Db, 1);
  registerSpool(registry, join(tmpdir(), 'spool'));
  watchDependencies(registry);
  registerUnsafeSettings(registry, []);
  registerCatalog(registry, { current: () => ({ version: '' }), isRefused: () => false });
  return new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
})();

/** The metrics that an expression names, without the suffixes of histograms. */
const metricsIn = (expr: string): string[] =>
  (expr.match(/\b(?:atelier|nodejs|process)_[a-z0-9_]+/g) ?? []).map((name) => {
    const plain = name.replace(/_(bucket|count|sum)$/, '');
    return metrics.get(plain) === 'histogram' ? plain : name;
  });

describe('alerts', () => {
  test('every alert is caused by a soak test', async () => {
    const texts = await Promise.all(
      ['monitoring', 'alerts-under-strain'].map((name) =>
        readFile(join(ROOT, 'e2e/operate', `${name}.soak.test.ts`), 'utf8'),
      ),
    );
    const caused = new Set(texts.join('').match(/(?<=')Atelier\w+(?=')/g));
    expect(alerts.map(({ name }) => name).filter((name) => !caused.has(name))).toEqual([]);
  });

  test('the rules and the configuration are valid', async () => {
    expect(await promtool('check', 'rules', 'alerts.yaml')).toMatchObject({ code: 0 });
    expect(await promtool('check', 'config', 'prometheus.yaml')).toMatchObject({ code: 0 });
  });

  test('compose gives its Prometheus the rules, as the job that they name, and its Grafana the dashboard', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'atelier-rules-'));
    await copyFile(join(ROOT, 'deploy/compose/prometheus.yaml'), join(dir, 'prometheus.yaml'));
    await copyFile(join(MONITORING, 'alerts.yaml'), join(dir, 'alerts.yaml'));
    await copyFile(join(ROOT, 'deploy/compose/host-alerts.yaml'), join(dir, 'host-alerts.yaml'));
    const { code, text } = await promtool('check', 'config', join(dir, 'prometheus.yaml'));
    expect(code, text).toBe(0);
    expect(text).toContain(`${alerts.length} rules found`);
    expect(await readFile(join(dir, 'prometheus.yaml'), 'utf8')).toContain('job_name: atelier\n');
    await rm(dir, { recursive: true });
    const compose = await readFile(join(ROOT, 'compose.yaml'), 'utf8');
    for (const file of ['alerts.yaml', 'dashboard.json']) expect(compose).toContain(`deploy/monitoring/${file}`);
  });

  test('every alert stays quiet, fires and clears in a history of its own', { timeout: TIMEOUT_MS }, async () => {
    expect(new Set(alertCases.map(({ alert }) => alert))).toEqual(new Set(alerts.map(({ name }) => name)));
    expect(await promtool('test', 'rules', 'alerts.test.yaml')).toMatchObject({ code: 0 });
  });

  test.each([
    ['never fires', 'vector(0) > 1', alerts],
    // Alike for all, and slow: an alert that fires is rendered at each evaluation.
    ['always fires', 'vector(1)', alerts.slice(0, 1)],
  ])('the histories find an alert that %s', { timeout: TIMEOUT_MS }, async (_what, expr, rows) => {
    const dir = await mkdtemp(join(tmpdir(), 'atelier-rules-'));
    const cases = alertCases.filter(({ alert }) => rows.some(({ name }) => name === alert));
    await writeFile(join(dir, 'alerts.yaml'), renderRules(rows.map((row) => ({ ...row, expr, for: '0m' }))));
    await writeFile(join(dir, 'alerts.test.yaml'), renderRuleTests(cases));
    const { code, text } = await promtool('test', 'rules', join(dir, 'alerts.test.yaml'));
    await rm(dir, { recursive: true });
    expect(code).toBe(1);
    expect(rows.filter(({ name }) => !text.includes(`alertname: ${name}`)).map(({ name }) => name)).toEqual([]);
  });

  test('every alert has a runbook with the four parts, and every runbook an alert', async () => {
    const pages = (await readdir(join(ROOT, 'docs/operate/runbooks'))).filter((name) => name !== 'README.md');
    expect(pages.map((name) => `docs/operate/runbooks/${name}`).sort()).toEqual(
      alerts.map(({ name }) => runbookOf(name)).sort(),
    );
    for (const { name } of alerts) {
      const text = await readFile(join(ROOT, runbookOf(name)), 'utf8');
      expect(text.split('\n')[0]).toBe(`# ${name}`);
      expect(text.match(/^## .*/gm), name).toEqual([
        '## What it means',
        '## How to check',
        '## What to do',
        '## How to know it is over',
      ]);
    }
  });

  test('rules and panels name metrics that a process has', () => {
    const exprs = [
      ...alerts.map(exprOf),
      ...dashboard.flatMap(({ panels }) => panels.flatMap((p) => Object.values(p.queries))),
    ];
    expect(exprs.flatMap(metricsIn).filter((name) => !metrics.has(name))).toEqual([]);
  });

  test('the page of metrics lists every metric of the service, and only those', async () => {
    const page = await readFile(join(ROOT, 'docs/operate/metrics.md'), 'utf8');
    const listed = Array.from(page.matchAll(/^\| `(atelier_\w+)`/gm), ([, name]) => name as string);
    const own = [...metrics.keys()].filter((name) => name.startsWith('atelier_'));
    expect(listed.sort()).toEqual(own.sort());
  });
});
