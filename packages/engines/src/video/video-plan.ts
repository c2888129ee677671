import type { VideoFacts } from './probe-video.ts';

/** What one task asks of ffmpeg. The graph ends in [v], and in [a] where there is sound. */
export interface VideoPlan {
  readonly graph: string;
  readonly hasSound: boolean;
  readonly seconds: number;
  /** Options in front of the clip, such as how often it is read. */
  readonly before?: readonly string[];
}

export interface PlanRequest {
  readonly facts: VideoFacts;
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Filters that look ahead swallow the last frames; these stand in for them. */
export const HELD_END = 'tpad=stop_mode=clone:stop_duration=0.5';

/** The picture of the clip as every plan wants it: shown size, square pixels, an even rate. */
export function picture(facts: VideoFacts, size: { width: number; height: number } = facts): string {
  const { videoIndex, fps } = facts;
  return `[0:${videoIndex}]scale=${size.width}:${size.height}:flags=bicubic,setsar=1,fps=${fps},format=yuv420p`;
}

/** The sound of the clip, passed on as it is. */
export function sound({ audioIndex }: VideoFacts): string {
  return audioIndex === null ? '' : `;[0:${audioIndex}]aresample=48000,apad[a]`;
}
