import { CreateVideoBody, EditImageFields } from '@atelier/contract/openai';
import { expect, test } from 'vitest';
import { createFieldReader } from './read-form.ts';

test('texts of a form get the types of the schema', () => {
  const read = createFieldReader(EditImageFields);
  expect(read({ prompt: '42', n: '2', stream: 'false', size: '1024x1024' })).toEqual({
    prompt: '42',
    n: 2,
    stream: false,
    size: '1024x1024',
  });
  expect(createFieldReader(CreateVideoBody)({ prompt: 'true', seconds: '4' })).toEqual({
    prompt: 'true',
    seconds: '4',
  });
});

test('what does not fit is left for the validator', () => {
  expect(createFieldReader(EditImageFields)({ n: 'two', other: '1' })).toEqual({ n: 'two', other: '1' });
});
