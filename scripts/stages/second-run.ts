/**
 * Test files that fail get a second run, because tests with real processes and time limits can fail on a starved machine. The log keeps
 * both runs. What passes only in its second run is unsteady: a finding, whoever's fault it is.
 */

/** More failed files than this have a common cause: they do not run again. */
const MAX_FILES = 4;

/** Here a race costs coins, files or privacy, so a file that passes only in its second run has failed. */
const STRICT: readonly RegExp[] = [
  /^e2e\/(money|files)\//,
  /^e2e\/webhooks\/crash/,
  /(erase|erasure|retention|restore|sign-in|members|authorize)[\w-]*(\.\w+)*\.test\.ts$/,
  /^packages\/server\/src\/identity\//,
  /^packages\/server\/src\/domain\/(accounts|assets|budgets|generations|ledger|moves|payments|people)\//,
  /^packages\/server\/src\/(payments|http\/console)\//,
  /^clients\/python\//,
];

export const isStrict = (path: string): boolean => STRICT.some((pattern) => pattern.test(path));

export function canRunAgain(failedFiles: readonly string[]): boolean {
  return failedFiles.length > 0 && failedFiles.length <= MAX_FILES;
}
