import { join } from 'node:path';
import type { TaskType } from '@atelier/contract';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { runFfmpeg } from '../ffmpeg/frames.ts';
import { probeVideo } from '../ffmpeg/probe-video.ts';
import { fromUpload, toMp4 } from '../ffmpeg/video-encoding.ts';
import {
  type PlanRequest,
  planAddedAudio,
  planEffect,
  planExtension,
  planInterpolation,
  planReframe,
  planUpscale,
  type VideoPlan,
} from './plan-video.ts';

const plans: Partial<Record<TaskType, (request: PlanRequest) => VideoPlan>> = {
  'video.interpolate': planInterpolation,
  'video.upscale': planUpscale,
  'video.reframe': planReframe,
  'video.extend': planExtension,
  'video.effect': planEffect,
  'video.add-audio': planAddedAudio,
};

/** The video tasks that ffmpeg does alone. Its arguments come from the tables here, never from customer input. */
export const createEngine: CreateEngine = async (kit) => {
  const [ffmpeg, ffprobe] = [kit.program('ffmpeg'), kit.program('ffprobe')];
  return {
    async run({ taskType, params, inputs, settings, dir }, report) {
      const plan = plans[taskType];
      if (plan === undefined) throw new Error(`engine ffmpeg-video does not support ${taskType}`);
      const [video] = inputs['video'] ?? [];
      if (video === undefined) throw new EngineRefusal('A video is required.');
      const facts = await probeVideo({ ffprobe, path: video, cwd: dir });
      const { graph, hasSound, seconds, before } = plan({ facts, params, settings });
      const path = join(dir, 'output.mp4');
      const args = [
        ...fromUpload(video, before),
        ...(taskType === 'video.add-audio' ? (inputs['audio'] ?? []).flatMap((each) => fromUpload(each)) : []),
        ...['-filter_complex_threads', `${kit.threads}`, '-filter_complex', graph],
        ...['-map', '[v]', ...(hasSound ? ['-map', '[a]'] : [])],
        ...toMp4({ path, threads: kit.threads, seconds }),
      ];
      await runFfmpeg({ ffmpeg, args, cwd: dir, seconds, report });
      return [{ path }];
    },
  };
};
