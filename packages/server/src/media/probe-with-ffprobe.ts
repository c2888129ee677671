import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import type { MediaTools } from './media-tools.ts';

export interface ContainerFacts {
  videoTracks: number;
  audioTracks: number;
  width: number | null;
  height: number | null;
  durationSeconds: number;
  /** Known only to the first reader. */
  transparent?: boolean;
}

const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_STREAMS = 32;
const WANTED =
  'format=duration:stream=codec_type,width,height,sample_aspect_ratio,duration:stream_disposition=attached_pic:stream_side_data=rotation';

interface ProbedStream {
  codec_type?: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  duration?: string;
  disposition?: { attached_pic?: number };
  side_data_list?: { rotation?: number }[];
}

/** The fallback for containers that the first reader does not know. Null when ffprobe cannot read them either. */
export async function probeWithFfprobe(
  tools: MediaTools,
  { path, deadlineMs }: { path: string; deadlineMs: number },
): Promise<ContainerFacts | null> {
  const { ok, output } = await tools.runProgram({
    program: 'ffprobe',
    args: (place) => [
      '-v',
      'error',
      ...FFMPEG_READ_OPTIONS,
      '-show_entries',
      WANTED,
      '-of',
      'json',
      `file:${place(path)}`,
    ],
    mounts: [{ from: path, to: '/in/file' }],
    deadlineMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (!ok) return null;
  return readProbe(output.toString('utf8'));
}

function readProbe(json: string): ContainerFacts | null {
  let probed: { streams?: ProbedStream[]; format?: { duration?: string } };
  try {
    probed = JSON.parse(json) as typeof probed;
  } catch {
    return null;
  }
  const streams = (probed.streams ?? []).filter((stream) => stream.disposition?.attached_pic !== 1);
  const videos = streams.filter((stream) => stream.codec_type === 'video');
  const audios = streams.filter((stream) => stream.codec_type === 'audio');
  const durations = [probed.format?.duration, ...streams.map((stream) => stream.duration)].map(Number);
  const durationSeconds = Math.max(0, ...durations.filter((seconds) => Number.isFinite(seconds)));
  if (streams.length === 0 || streams.length > MAX_STREAMS || durationSeconds === 0) return null;
  return { videoTracks: videos.length, audioTracks: audios.length, durationSeconds, ...shownSize(videos[0]) };
}

function shownSize(video: ProbedStream | undefined): { width: number | null; height: number | null } {
  const { width: codedWidth, height } = video ?? {};
  if (!Number.isInteger(codedWidth) || !Number.isInteger(height) || !codedWidth || !height)
    return { width: null, height: null };
  const [across = 1, down = 1] = (video?.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const width = across > 0 && down > 0 ? Math.round((codedWidth * across) / down) : codedWidth;
  const turned = (video?.side_data_list ?? []).some(({ rotation }) => Math.abs(rotation ?? 0) % 180 === 90);
  return turned ? { width: height, height: width } : { width, height };
}
