/** The cookie of a double whose every text that a person, a client or a provider can set is an attempt to run a script. */
export const HOSTILE = 'demo=hostile';

export const SCRIPT = '"><img src=x onerror="window.ran = true"><script>window.ran = true</script>{{7*7}}';

/** Fields that others fill in: names, prompts, reasons, error messages, the answers of receivers. */
const SET_BY_OTHERS = new Set([
  'accountName',
  'actor',
  'deviceName',
  'displayName',
  'error',
  'fileName',
  'ipAddress',
  'label',
  'lockedReason',
  'maintenance',
  'message',
  'modelName',
  'name',
  'negative_prompt',
  'person',
  'projectId',
  'prompt',
  'reason',
  'reference',
  'responseBody',
  'sentence',
  'statusReason',
  'userAgent',
  'worker',
]);

/** The answer with the attempt in every such field. */
export function makeHostile(answer: unknown, field = ''): unknown {
  if (typeof answer === 'string') return SET_BY_OTHERS.has(field) ? `${field} ${SCRIPT}` : answer;
  if (Array.isArray(answer)) return answer.map((each) => makeHostile(each, field));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, makeHostile(value, name)]));
}
