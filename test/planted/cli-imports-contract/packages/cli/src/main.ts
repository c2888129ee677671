import { problems } from '../../contract/src/problems.ts';

export const codes = Object.keys(problems);
