import { first } from './first.ts';

export type First = ReturnType<typeof first>;
