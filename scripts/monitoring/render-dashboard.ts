import { dashboard, type PanelRow } from './panels.ts';

const COLUMNS = 24;
const SIZES = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } };
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** The dashboard as Grafana imports it. Panels fill the lines from the left; a group begins on a new line. */
export function renderDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const group of dashboard) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: group.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    let tallest = 0;
    for (const row of group.panels) {
      const size = SIZES[row.kind ?? 'timeseries'];
      if (x + size.w > COLUMNS) {
        x = 0;
        y += tallest;
        tallest = 0;
      }
      panels.push({ id: panels.length + 1, ...panelOf(row), gridPos: { x, y, ...size } });
      x += size.w;
      tallest = Math.max(tallest, size.h);
    }
    y += tallest;
  }
  return `${JSON.stringify(
    {
      title: 'Atelier',
      uid: 'atelier',
      tags: ['atelier'],
      schemaVersion: 39,
      editable: true,
      refresh: '30s',
      time: { from: 'now-3h', to: 'now' },
      timezone: 'browser',
      templating: {
        list: [
          { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1, hide: 0 },
        ],
      },
      annotations: {
        list: [
          {
            name: 'Alerts',
            datasource: DATASOURCE,
            enable: true,
            iconColor: 'red',
            expr: 'ALERTS{alertname=~"Atelier.*",alertstate="firing"}',
            titleFormat: '{{alertname}}',
          },
        ],
      },
      panels,
    },
    null,
    2,
  )}\n`;
}

function panelOf(row: PanelRow) {
  return {
    type: row.kind ?? 'timeseries',
    title: row.title,
    description: row.about,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit: row.unit, ...(row.unit === 'percentunit' ? { min: 0 } : {}) },
      overrides: [],
    },
    ...(row.kind === 'stat'
      ? { options: { colorMode: 'value', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } } }
      : { options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } } }),
    targets: Object.entries(row.queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}
