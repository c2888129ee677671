import type { First } from './third.ts';

export const second = (): First => 1;
