import { CreateGenerationBody, Generation, Model } from '@atelier/contract';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { tools } from './answer-message.ts';
import { describeInput, describeOutput } from './tool-schema.ts';

describe.each(tools)('the tool $name', ({ name, description, input, output }) => {
  const shownInput = JSON.stringify(describeInput(input));
  const shownOutput = JSON.stringify(describeOutput(output));

  test('has a name and a description that clients accept', () => {
    expect(name).toMatch(/^[a-z_]{1,64}$/);
    expect(description.length).toBeLessThan(500);
  });

  test('takes one object, described without references, and no field besides', () => {
    expect(describeInput(input)).toMatchObject({ type: 'object', additionalProperties: false });
    expect(shownInput).not.toContain('$ref');
    // Providers refuse these at the top of an input.
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) expect(describeInput(input)).not.toHaveProperty(keyword);
    // An agent reads all inputs before it starts.
    expect(shownInput.length).toBeLessThan(8_000);
  });

  test('shows none of the marks of the contract', () => {
    for (const shown of [shownInput, shownOutput]) expect(shown).not.toMatch(/"x-/);
  });

  test('defines every part that its output refers to', () => {
    const { $defs = {} } = describeOutput(output) as { $defs?: Record<string, unknown> };
    for (const [, part] of shownOutput.matchAll(/"#\/\$defs\/(\w+)"/g)) expect($defs).toHaveProperty(part as string);
  });
});

describe('the schema that clients see', () => {
  test('of an input accepts and refuses what the contract does', () => {
    const shown = Compile(describeInput(CreateGenerationBody) as never);
    const contract = Compile(CreateGenerationBody);
    const body = { modelId: 'canvas', params: { prompt: 'a', images: ['b'] }, maxCoins: 7 };
    for (const value of [
      body,
      { ...body, maxCoins: 0 },
      { ...body, other: 1 },
      { ...body, params: { sound: 1 } },
      {},
    ]) {
      expect(shown.Check(value)).toBe(contract.Check(value));
    }
    expect(shown.Check(body)).toBe(true);
  });

  test('says once what a param value is', () => {
    const shown = JSON.stringify(describeInput(CreateGenerationBody));
    expect(shown.split('A media param takes the id of an upload.')).toHaveLength(2);
  });

  test('names the type of an enum', () => {
    expect(describeOutput(Model)).toMatchObject({ $defs: { Modality: { type: 'string', enum: expect.any(Array) } } });
  });

  test("of an output is the contract's", () => {
    expect(describeOutput(Generation).required).toEqual(Generation.required);
  });
});
