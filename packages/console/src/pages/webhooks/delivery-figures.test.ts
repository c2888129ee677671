import { expect, test } from 'vitest';
import { deliveries } from '../../../testing/demo-data.ts';
import { countDeliveries } from './delivery-figures.ts';

test('counts deliveries and the times of responses', () => {
  expect(countDeliveries(deliveries)).toMatchObject({ all: 10, delivered: 6 });
  expect(countDeliveries([])).toEqual({ all: 0, delivered: 0, medianMs: null, p95Ms: null });
});
