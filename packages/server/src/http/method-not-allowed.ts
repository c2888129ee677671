import { operations } from '@atelier/contract';

const paths = Object.values(operations).map((row) => ({
  method: row.method,
  pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The methods of the operations at this path; none when there is no such path. */
export function allowedMethods(url: string): string[] {
  const path = url.split('?', 1)[0] as string;
  return [...new Set(paths.filter((row) => row.pattern.test(path)).map((row) => row.method))];
}
