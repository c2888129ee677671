import type { Model, ParamName } from '@atelier/contract';

/** Whether a request with these media needs the agreement of the people they show or record. */
export function needsConsent(
  { consent }: Pick<Model, 'consent'>,
  media: ReadonlyArray<{ readonly param: ParamName }>,
): boolean {
  if (consent === undefined) return false;
  return consent.when === null || media.some(({ param }) => consent.when?.includes(param));
}
