import { now } from '../../platform/clock.ts';

export const insertTransfer = (): number => now();
