import { now } from '../../server/src/platform/clock.ts';

export const expiresAt = (): number => now();
