import { startPump } from '../../queue/start-pump.ts';

export const createGeneration = (): null => startPump();
