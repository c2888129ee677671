import { describe, expect, test } from 'vitest';
import { findDeadLinks, findHeadingProblems, findPageProblems, findUnboundOperations } from './tidy/document-rules.ts';
import { findBannedNames, findOddNames, findStrayIndexes } from './tidy/name-rules.ts';
import {
  findBannedPhrases,
  findLeftovers,
  findLongFiles,
  findMachinePaths,
  findStrayEnvironment,
  findStraySql,
} from './tidy/source-rules.ts';
import { readTrackedFiles } from './tidy/tracked-files.ts';

const FILE_FLOOR = 100;
const files = readTrackedFiles();

test('the files are there to be judged', () => {
  expect(files.length).toBeGreaterThan(FILE_FLOOR);
});

describe('house rules', () => {
  const rules = {
    'no file name that says nothing': findBannedNames,
    "index is only a package's door": findStrayIndexes,
    'file names are kebab-case': findOddNames,
    'SQL only in stores and migrations': findStraySql,
    'only entry/ reads the environment': findStrayEnvironment,
    'no path of one machine': findMachinePaths,
    'nothing left to finish': findLeftovers,
    'plain English': findBannedPhrases,
    'no long file without a stated reason': findLongFiles,
    'a true page for every problem code, and no other': findPageProblems,
    'one first-level heading in every document': findHeadingProblems,
    'no link that leads nowhere': findDeadLinks,
    'a handler for every operation': findUnboundOperations,
  };
  test.each(Object.entries(rules))('%s', (_name, find) => {
    expect(find(files)).toEqual([]);
  });
});
