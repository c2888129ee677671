import { describe, expect, test } from 'vitest';
import {
  findDeadLinks,
  findHeadingProblems,
  findMissingPaths,
  findPageProblems,
  findUnboundOperations,
} from './tidy/document-rules.ts';
import { findRawHttp } from './tidy/e2e-rules.ts';
import { findBlockingMigrations } from './tidy/migration-rules.ts';
import { findBannedNames, findOddNames, findStrayIndexes } from './tidy/name-rules.ts';
import {
  findBannedPhrases,
  findLeftovers,
  findLongFiles,
  findMachinePaths,
  findRepeatedStatements,
  findStrayEnvironment,
  findStraySql,
  findStrongLocks,
} from './tidy/source-rules.ts';
import { readTrackedFiles } from './tidy/tracked-files.ts';

const FILE_FLOOR = 100;
const files = readTrackedFiles();

test('the list of files is complete', () => {
  expect(files.length).toBeGreaterThan(FILE_FLOOR);
});

describe('project rules', () => {
  const rules = {
    'no meaningless file name': findBannedNames,
    'index is only the entry of a package': findStrayIndexes,
    'file names are kebab-case': findOddNames,
    'SQL only in stores and migrations': findStraySql,
    'every statement has its own name': findRepeatedStatements,
    'only a departing move and an erasure lock accounts FOR UPDATE': findStrongLocks,
    'a new migration does not block the running service': findBlockingMigrations,
    'only entry/ reads the environment': findStrayEnvironment,
    'no absolute path of a machine': findMachinePaths,
    'no unfinished work': findLeftovers,
    'plain English': findBannedPhrases,
    'no long file without a stated reason': findLongFiles,
    'a correct page for every problem code, and no other': findPageProblems,
    'one first-level heading in every document': findHeadingProblems,
    'no broken link': findDeadLinks,
    'ARCHITECTURE.md names only paths that exist': findMissingPaths,
    'a handler for every operation': findUnboundOperations,
    'end-to-end tests use the SDK, or say why not': findRawHttp,
  };
  test.each(Object.entries(rules))('%s', (_name, find) => {
    expect(find(files)).toEqual([]);
  });
});
