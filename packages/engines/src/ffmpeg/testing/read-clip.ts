import { execFileSync, spawnSync } from 'node:child_process';

interface ClipFacts {
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  readonly pixelFormat: string | null;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly seconds: number;
  readonly meanVolumeDb: number;
  readonly maxVolumeDb: number;
}

interface Stream {
  codec_type: string;
  codec_name: string;
  pix_fmt?: string;
  width?: number;
  height?: number;
  avg_frame_rate?: string;
}

/** The properties of a finished clip, from ffprobe and from its decoded audio. */
export function readClip(path: string): ClipFacts {
  const shown = execFileSync('ffprobe', ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', path]);
  const probed = JSON.parse(shown.toString()) as { streams: Stream[]; format: { duration: string } };
  const video = probed.streams.find((each) => each.codec_type === 'video');
  const audio = probed.streams.find((each) => each.codec_type === 'audio');
  const [frames = 0, per = 1] = (video?.avg_frame_rate ?? '').split('/').map(Number);
  const played = spawnSync('ffmpeg', ['-nostdin', '-i', path, '-vn', '-af', 'volumedetect', '-f', 'null', '-']);
  const volume = (name: string) => Number(new RegExp(`${name}_volume: (\\S+) dB`).exec(played.stderr.toString())?.[1]);
  return {
    videoCodec: video?.codec_name ?? null,
    audioCodec: audio?.codec_name ?? null,
    pixelFormat: video?.pix_fmt ?? null,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    fps: Math.round((frames / per) * 100) / 100,
    seconds: Number(probed.format.duration),
    meanVolumeDb: volume('mean'),
    maxVolumeDb: volume('max'),
  };
}
