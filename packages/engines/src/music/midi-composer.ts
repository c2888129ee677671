import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateEngine } from '../engine.ts';
import { runProgram } from '../run-program.ts';
import { composeSong } from './compose-song.ts';
import { chooseStyle } from './styles.ts';
import { writeMidi } from './write-midi.ts';

/** From Debian's fluid-soundfont-gm. */
const SOUND_FONT = '/usr/share/sounds/sf2/FluidR3_GM.sf2';
const MAX_SEED = 2 ** 31;
const FADE_SECONDS = 1.6;
const LOUDNESS = 'loudnorm=I=-16:TP=-1.5:LRA=11';

/** Procedural instrumental music: chords, a recurring motif, bass, drums and an ending, rendered with a sound font. */
export const createEngine: CreateEngine = async (kit) => ({
  async run({ params, dir }, report) {
    const seconds = Number(params.duration ?? 30);
    const style = chooseStyle(String(params.prompt ?? ''), typeof params.style === 'string' ? params.style : undefined);
    const seed = typeof params.seed === 'number' ? params.seed : randomInt(MAX_SEED);
    await writeFile(join(dir, 'piece.mid'), writeMidi(composeSong(style, { seconds, seed })));
    report(0.1);
    await runProgram({
      path: kit.program('fluidsynth'),
      args: [
        '-ni',
        '-q',
        '-g',
        '0.7',
        '-r',
        '44100',
        '-R',
        '1',
        '-C',
        '1',
        '-F',
        'played.wav',
        SOUND_FONT,
        'piece.mid',
      ],
      cwd: dir,
    });
    report(0.7);
    const name = params.format === 'wav' ? 'piece.wav' : 'piece.mp3';
    const fade = `afade=t=out:st=${(seconds - FADE_SECONDS).toFixed(2)}:d=${FADE_SECONDS}`;
    await runProgram({
      path: kit.program('ffmpeg'),
      args: [
        ...'-nostdin -protocol_whitelist file,pipe -v error -y -i played.wav'.split(' '),
        ...[
          '-af',
          `aformat=channel_layouts=stereo,apad=whole_dur=${seconds},atrim=0:${seconds},${LOUDNESS},${fade},aresample=44100,aformat=channel_layouts=stereo`,
        ],
        ...(name === 'piece.wav' ? ['-c:a', 'pcm_s16le'] : ['-c:a', 'libmp3lame', '-b:a', '192k']),
        name,
      ],
      cwd: dir,
    });
    return [{ path: join(dir, name) }];
  },
});
