import type { CreateEngine } from '../engine.ts';
import { createCutout } from './create-cutout.ts';

export const createEngine: CreateEngine = (kit) => createCutout({ kit, model: 'modnet' });
