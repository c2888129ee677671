import type { VideoFacts } from './probe-video.ts';

/** The ffmpeg plan of a task. The filter graph ends in [v], and in [a] if there is audio. */
export interface VideoPlan {
  readonly graph: string;
  readonly hasSound: boolean;
  readonly seconds: number;
  /** Options before the clip's input, such as the number of loops. */
  readonly before?: readonly string[];
}

export interface PlanRequest {
  readonly facts: VideoFacts;
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Padding for filters that look ahead and drop the last frames. */
export const HELD_END = 'tpad=stop_mode=clone:stop_duration=0.5';

/** The normalized video of the clip: display size, square pixels, constant frame rate. */
export function picture(facts: VideoFacts, size: { width: number; height: number } = facts): string {
  const { videoIndex, fps } = facts;
  return `[0:${videoIndex}]scale=${size.width}:${size.height}:flags=bicubic,setsar=1,fps=${fps},format=yuv420p`;
}

/** The unchanged audio of the clip. */
export function sound({ audioIndex }: VideoFacts): string {
  return audioIndex === null ? '' : `;[0:${audioIndex}]aresample=48000,apad[a]`;
}
