/** Nothing of the worker's own environment reaches the program. */
export const FFMPEG_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
