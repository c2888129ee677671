export * from './audio.ts';
export * from './error.ts';
export * from './images.ts';
export * from './models.ts';
export * from './operations.ts';
export * from './videos.ts';
