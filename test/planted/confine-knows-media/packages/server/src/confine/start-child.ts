import { probe } from '../media/probe.ts';

export const startChild = (): null => probe();
