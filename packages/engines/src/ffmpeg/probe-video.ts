import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import { EngineRefusal } from '../engine.ts';
import { runProgram } from '../run-program.ts';

/** The properties of a clip. Sizes are as displayed: rotated, with square pixels, even. */
export interface VideoFacts {
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly fps: number;
  readonly videoIndex: number;
  readonly audioIndex: number | null;
}

interface ProbedStream {
  readonly index: number;
  readonly codec_type?: string;
  readonly width?: number;
  readonly height?: number;
  readonly sample_aspect_ratio?: string;
  readonly avg_frame_rate?: string;
  readonly duration?: string;
  readonly disposition?: { readonly attached_pic?: number };
  readonly side_data_list?: readonly { readonly rotation?: number }[];
}
export interface ProbedFile {
  readonly streams?: readonly ProbedStream[];
  readonly format?: { readonly duration?: string };
}

/** The maximum frame rate; above it frames are dropped. */
const MAX_FPS = 60;
const FALLBACK_FPS = 25;
const MIN_SIDE_PX = 16;
const WANTED =
  'format=duration:stream=index,codec_type,width,height,sample_aspect_ratio,avg_frame_rate,duration:stream_disposition=attached_pic:stream_side_data=rotation';

export async function probeVideo(options: { ffprobe: string; path: string; cwd: string }): Promise<VideoFacts> {
  const output = await runProgram({
    path: options.ffprobe,
    args: ['-v', 'error', ...FFMPEG_READ_OPTIONS, '-show_entries', WANTED, '-of', 'json', `file:${options.path}`],
    cwd: options.cwd,
  }).catch(() => {
    throw new EngineRefusal('The video cannot be read. Use MP4 with H.264.');
  });
  return readVideoFacts(JSON.parse(output.toString('utf8')) as ProbedFile);
}

export function readVideoFacts(probed: ProbedFile): VideoFacts {
  const streams = probed.streams ?? [];
  const video = streams.find((each) => each.codec_type === 'video' && each.disposition?.attached_pic !== 1);
  const audio = streams.find((each) => each.codec_type === 'audio');
  const [coded, high] = [video?.width ?? 0, video?.height ?? 0];
  const seconds = [video?.duration, probed.format?.duration].map(Number).find((each) => each > 0);
  if (video === undefined || seconds === undefined || Math.min(coded, high) < MIN_SIDE_PX) {
    throw new EngineRefusal('The file has no usable video stream. Use MP4 with H.264.');
  }
  const [across = 1, down = 1] = (video.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const wide = across > 0 && down > 0 ? (coded * across) / down : coded;
  const isTurned = (video.side_data_list ?? []).some(({ rotation }) => Math.abs(rotation ?? 0) % 180 === 90);
  return {
    width: even(isTurned ? high : wide),
    height: even(isTurned ? wide : high),
    seconds,
    fps: readRate(video.avg_frame_rate),
    videoIndex: video.index,
    audioIndex: audio?.index ?? null,
  };
}

function readRate(rate: string | undefined): number {
  const [frames = 0, per = 1] = (rate ?? '').split('/').map(Number);
  const fps = frames / per;
  return fps > 0 && Number.isFinite(fps) ? Math.min(fps, MAX_FPS) : FALLBACK_FPS;
}

/** H.264 with 4:2:0 chroma requires even sides. */
export function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}
