import { startPump } from '../../engine/start-pump.ts';

export const createGeneration = (): null => startPump();
