/** The program gets none of the worker's environment. */
export const FFMPEG_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
