import { expect, test } from 'vitest';
import { toCsvLine } from './export-ledger.ts';

test.each([
  [[1, -3, null, 'grant'], '1,-3,,grant\r\n'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\r\n'],
  [['＝1+1', '＋1', '－1', '＠x'], "'＝1+1,'＋1,'－1,'＠x\r\n"],
  [['=1+1', '+1', '-1', '@x'], "'=1+1,'+1,'-1,'@x\r\n"],
])('%j', (values, line) => {
  expect(toCsvLine(values)).toBe(line);
});
