import { engines } from '../../../../engines/src/engines.ts';

export const names = (): string[] => Object.keys(engines);
