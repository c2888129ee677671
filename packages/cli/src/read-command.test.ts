import { expect, test } from 'vitest';
import { commands } from './commands.ts';
import { readCommand } from './read-command.ts';

const generate = (...argv: string[]) => readCommand(commands.generate!, argv);

test('unknown options of generate are params of the model', () => {
  const given = generate(
    'canvas',
    '-p',
    'a lake',
    '--num-outputs',
    '2',
    '--seed=7',
    '-i',
    'a.png',
    '-i',
    'b.png',
    '-y',
  );
  expect(given.args).toEqual(['canvas']);
  expect(given.options).toEqual({ prompt: 'a lake' });
  expect(given.lists).toEqual({ params: ['num_outputs=2', 'seed=7'], input: ['a.png', 'b.png'] });
  expect([...given.flags]).toEqual(['yes']);
});

test('a value may stand before the model', () => {
  expect(generate('--num-outputs', '2', 'canvas').args).toEqual(['canvas']);
});

test.each([
  [[], 'MODEL is missing'],
  [['canvas', 'other'], 'unexpected argument: other'],
  [['canvas', '--seed'], '--seed needs a value'],
  [['canvas', '--prompt'], '--prompt needs a value'],
  [['canvas', '--yes=1'], '--yes takes no value'],
])('%j is refused', (argv, message) => {
  expect(() => generate(...argv)).toThrow(message);
});

test('other commands refuse unknown options', () => {
  expect(() => readCommand(commands.list!, ['--seed', '7'])).toThrow("Unknown option '--seed'");
});
