import { join } from 'node:path';
import { SOUND_ENCODERS, type SoundFormat } from '../audio/write-sound.ts';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { runProgram } from '../run-program.ts';
import { type VoiceEffect, voiceEffects } from './voice-effects.ts';

const DURATION = /Duration: (\d+):(\d+):([\d.]+)/;
const MADE = /^out_time_us=(\d+)/;
const US_PER_SECOND = 1_000_000;
/** Loud passages are limited instead of clipped. */
const LIMIT = 'alimiter=limit=0.95:level=false';

/** Effects on a recorded voice by fixed filters. The speaker does not change: this is not voice cloning. */
export const createEngine: CreateEngine = async (kit) => ({
  async run({ params, inputs, dir }, report) {
    const effect = String(params.effect);
    if (!Object.hasOwn(voiceEffects, effect)) {
      throw new EngineRefusal(`Unknown effect ${effect}. Use one of ${Object.keys(voiceEffects).join(', ')}.`);
    }
    const format = String(params.format ?? 'wav') as SoundFormat;
    const path = join(dir, `voice.${format}`);
    let durationSeconds = 0;
    await runProgram({
      path: kit.program('ffmpeg'),
      args: [
        ...['-nostdin', '-hide_banner', '-nostats', '-progress', 'pipe:2', '-y', '-protocol_whitelist', 'file,pipe'],
        ...['-i', inputs['audio']![0]!, '-map', '0:a:0', '-map_metadata', '-1', '-rematrix_maxval', '1'],
        ...['-af', `aformat=channel_layouts=mono:sample_rates=44100,${voiceEffects[effect as VoiceEffect]},${LIMIT}`],
        ...['-ar', '44100', ...SOUND_ENCODERS[format], path],
      ],
      cwd: dir,
      onLine: (line) => {
        const [, hours, minutes, seconds] = DURATION.exec(line) ?? [];
        if (seconds !== undefined && durationSeconds === 0) {
          durationSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
        }
        const made = MADE.exec(line)?.[1];
        if (made !== undefined && durationSeconds > 0) {
          report(Math.min(1, Number(made) / US_PER_SECOND / durationSeconds));
        }
      },
    });
    return [{ path }];
  },
});
