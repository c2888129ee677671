import type { EventType } from '../../../packages/contract/src/index.ts';

export const emitted: EventType = 'generation.paused'; // planted
