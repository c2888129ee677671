import type { Member } from './start-stack.ts';

/** The sum of a metric over its labels, or of one series such as `up{job="a"}`; 0 if absent. */
export async function readMetric(member: Pick<Member, 'metricsUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${member.metricsUrl}/metrics`)).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    const match = /^([a-z0-9_]+)(\{[^}]*\})? (\S+)$/.exec(line);
    if (match?.[1] === name || `${match?.[1]}${match?.[2]}` === name) sum += Number(match?.[3]);
  }
  return sum;
}
