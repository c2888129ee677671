import { now } from '../../server/src/platform/clock.ts';

export const startedAt = (): number => now();
