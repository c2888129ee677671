import { enlarge } from '../upscale/real-esrgan.ts';

export const side = enlarge(2);
