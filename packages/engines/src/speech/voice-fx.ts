import { join } from 'node:path';
import { SOUND_ENCODERS, type SoundFormat } from '../audio/sound-files.ts';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { runProgram } from '../run-program.ts';

/** All voice effects, as ffmpeg filters. Some shift the formants together with the pitch, others keep them. */
export const voiceEffects = {
  deeper: 'rubberband=pitch=0.82:formant=preserved:pitchq=quality',
  brighter: 'rubberband=pitch=1.2:formant=preserved:pitchq=quality',
  giant: 'rubberband=pitch=0.7:formant=shifted:pitchq=quality',
  chipmunk: 'rubberband=pitch=1.5:formant=shifted:pitchq=quality',
  robot: "afftfilt=real='hypot(re,im)*sin(0)':imag='hypot(re,im)*cos(0)':win_size=512:overlap=0.75,volume=2.8",
  radio:
    'highpass=f=450:poles=2,lowpass=f=2800:poles=2,acompressor=threshold=0.08:ratio=8:attack=5:release=80:makeup=3,acrusher=bits=9:mode=log:aa=0.8:mix=0.35',
  telephone:
    'highpass=f=300:poles=2,highpass=f=300:poles=2,lowpass=f=3300:poles=2,lowpass=f=3300:poles=2,acompressor=threshold=0.1:ratio=4:makeup=2',
  cave: 'apad=pad_dur=1.6,aecho=in_gain=0.75:out_gain=0.8:delays=61|137|283|521|877:decays=0.3|0.22|0.15|0.1|0.06',
} as const satisfies Record<string, string>;

export type VoiceEffect = keyof typeof voiceEffects;

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
