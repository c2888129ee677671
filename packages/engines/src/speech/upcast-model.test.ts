import { expect, test } from 'vitest';
import { upcastModel } from './upcast-model.ts';

const field = (number: number, body: readonly number[]) => [number * 8 + 2, body.length, ...body];
const text = (number: number, value: string) => field(number, [...Buffer.from(value)]);
const tensor = (type: number, data: readonly number[]) => [
  ...[8, 2],
  ...[16, type],
  ...text(8, 'w'),
  ...field(9, data),
];
const cast = (type: number) => [...text(4, 'Cast'), ...field(5, [...text(1, 'to'), 24, type])];
const value = (type: number) => [...text(1, 'x'), ...field(2, field(1, [8, type]))];
const model = (type: number, data: readonly number[]) =>
  Uint8Array.from([
    8,
    9,
    ...field(7, [...field(1, cast(type)), ...field(5, tensor(type, data)), ...field(11, value(type))]),
  ]);

test('weights, casts and declared types become single precision, and nothing else changes', () => {
  const singles = [...new Uint8Array(Float32Array.of(1.5, -0.25).buffer)];
  expect(upcastModel(model(10, [0x00, 0x3e, 0x00, 0xb4]))).toEqual(model(1, singles));
});

test('a single-precision model stays unchanged', () => {
  const singles = [...new Uint8Array(Float32Array.of(3).buffer)];
  expect(upcastModel(model(1, singles))).toEqual(model(1, singles));
});

test('a truncated model is refused', () => {
  expect(() => upcastModel(Uint8Array.of(0x3a))).toThrow('ends in the middle');
});
