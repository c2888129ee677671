import {
  brown,
  draw,
  filter,
  glide,
  lay,
  pluck,
  type Signal,
  type Source,
  scatter,
  sine,
  white,
} from '../audio/signal.ts';
import type { Recipe } from './recipe.ts';

export const everydayRecipes = {
  heartbeat: {
    words: ['heart', 'pulse'],
    kind: 'bed',
    make({ seconds }) {
      const sound = draw(seconds, () => 0);
      for (let at = 0.05; at < seconds; at += 0.86) {
        for (const [delay, gain, hertz] of [
          [0, 1, 62],
          [0.27, 0.72, 74],
        ] as const) {
          lay(
            sound,
            draw(
              0.3,
              (time) => sine(glide(time, { from: hertz, to: hertz * 0.6, seconds: 0.18 })) * pluck(time, 0.012, 0.24),
            ),
            { at: at + delay, gain },
          );
        }
      }
      return sound;
    },
  },
  footsteps: {
    words: ['footstep', 'steps', 'walking', 'walk', 'running', 'gravel'],
    kind: 'bed',
    room: 0.25,
    make({ seconds, random }) {
      const sound = draw(seconds, () => 0);
      for (let at = 0.08; at < seconds; at += 0.55 + 0.03 * random()) {
        lay(sound, step(random), { at, gain: 0.85 + 0.15 * random() });
        lay(sound, step(random), { at: at + 0.085, gain: 0.4 });
      }
      return sound;
    },
  },
  knock: {
    words: ['knocking', 'door', 'wood'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.35,
    make({ random }) {
      const sound = draw(1, () => 0);
      for (const at of [0, 0.2, 0.4]) {
        const [noise, band] = [white(random), filter('band')];
        lay(
          sound,
          draw(
            0.18,
            (time) =>
              0.8 * sine(glide(time, { from: 240, to: 150, seconds: 0.05 })) * pluck(time, 0.001, 0.11) +
              0.8 * band(noise(), 1_100, 2) * pluck(time, 0.0005, 0.035),
          ),
          { at },
        );
      }
      return sound;
    },
  },
  applause: {
    words: ['clap', 'clapping', 'claps', 'audience', 'crowd'],
    kind: 'bed',
    room: 0.35,
    make({ seconds, random }) {
      const sound = draw(seconds, () => 0);
      for (const at of scatter(random, { seconds, perSecond: 95 })) {
        const [noise, band, hertz] = [white(random), filter('band'), 900 + 1_500 * random()];
        lay(
          sound,
          draw(0.04, (time) => band(noise(), hertz, 1.6) * pluck(time, 0.001, 0.028)),
          { at, gain: 0.2 + 0.5 * random() },
        );
      }
      return sound;
    },
  },
  bell: {
    words: ['bells', 'church', 'gong', 'toll'],
    kind: 'shot',
    periodSeconds: 4.5,
    room: 0.6,
    make: () => strike(330, [0.5, 1, 1.19, 1.5, 2, 2.74, 3, 3.76], 5),
  },
  chime: {
    words: ['chimes', 'sparkle', 'twinkle', 'glockenspiel', 'fairy'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.5,
    make() {
      const sound = draw(2.4, () => 0);
      for (const [at, tone] of [0, 4, 7, 11, 14, 16, 19].entries()) {
        lay(sound, strike(1_046 * 2 ** (tone / 12), [1, 2.76, 5.4], 1.3), { at: at * 0.075, gain: 0.5 });
      }
      return sound;
    },
  },
  glass: {
    words: ['shatter', 'shattering', 'breaking', 'break', 'smash'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.3,
    make({ random }) {
      const [noise, high] = [white(random), filter('high')];
      const sound = draw(1.6, (time) => 0.8 * high(noise(), 3_000) * pluck(time, 0.0005, 0.16));
      for (let shard = 0; shard < 46; shard++) {
        const hertz = 2_200 + 6_000 * random();
        lay(
          sound,
          draw(0.3, (time) => sine(hertz * time) * pluck(time, 0.0005, 0.05 + 0.2 * random())),
          { at: 0.02 + 0.9 * random() ** 2, gain: 0.05 + 0.22 * random() },
        );
      }
      return sound;
    },
  },
  click: {
    words: ['clicks', 'button', 'tap', 'switch', 'press'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.05,
    make({ random }) {
      const [noise, band] = [white(random), filter('band')];
      return draw(
        0.08,
        (time) =>
          band(noise(), 2_800, 2.2) * pluck(time, 0.0003, 0.016) + 0.6 * sine(1_250 * time) * pluck(time, 0.0004, 0.02),
      );
    },
  },
  pop: {
    words: ['plop', 'cork', 'popping'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.1,
    make: () =>
      draw(0.16, (time) => sine(glide(time, { from: 320, to: 1_150, seconds: 0.05 })) * pluck(time, 0.002, 0.085)),
  },
  beep: {
    words: ['beeps', 'blip', 'interface', 'ui', 'select'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.1,
    make: () =>
      draw(
        0.24,
        (time) =>
          0.8 * sine(1_175 * time) * Math.min(1, time / 0.004) * (time < 0.12 ? 1 : pluck(time - 0.12, 0.001, 0.11)),
      ),
  },
  notification: {
    words: ['notify', 'message', 'ping', 'ding', 'reminder'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.3,
    make() {
      const sound = draw(1.3, () => 0);
      lay(sound, strike(1_175, [1, 2, 3.01], 0.9), { at: 0, gain: 0.7 });
      lay(sound, strike(1_568, [1, 2, 3.01], 1.2), { at: 0.13, gain: 0.7 });
      return sound;
    },
  },
  success: {
    words: ['correct', 'win', 'winning', 'victory', 'complete', 'confirm'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.3,
    make() {
      const sound = draw(1.8, () => 0);
      for (const [at, hertz] of [523, 659, 784, 1_047].entries()) {
        lay(sound, strike(hertz, [1, 2, 4.02], at === 3 ? 1.4 : 0.5), { at: at * 0.11, gain: 0.6 });
      }
      return sound;
    },
  },
  error: {
    words: ['wrong', 'buzzer', 'denied', 'incorrect', 'failure'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.1,
    make() {
      const low = filter('low');
      return draw(0.62, (time) => {
        const part = time % 0.3;
        const edge = Math.min(1, part / 0.006, Math.max(0, 0.22 - part) / 0.01);
        return time > 0.56
          ? 0
          : 0.8 * low(Math.sign(sine(155 * time)) * 0.6 + Math.sign(sine(164 * time)) * 0.4, 1_500) * Math.max(0, edge);
      });
    },
  },
  riser: {
    words: ['rise', 'rising', 'tension', 'buildup', 'suspense'],
    kind: 'shot',
    periodSeconds: 4,
    room: 0.4,
    make({ random }) {
      const [noise, band] = [white(random), filter('band')];
      return draw(3, (time) => {
        const part = Math.min(1, time / 2.8);
        return (
          part ** 2 *
          (0.5 * sine(glide(time, { from: 110, to: 1_400, seconds: 2.8 })) +
            1.1 * band(noise(), 300 + 7_000 * part ** 2, 1.5)) *
          (time < 2.8 ? 1 : pluck(time - 2.8, 0.001, 0.15))
        );
      });
    },
  },
} as const satisfies Record<string, Recipe>;

/** A struck bar or bell: inharmonic partials, of which the higher ones are shorter. */
function strike(hertz: number, tones: readonly number[], seconds: number): Signal {
  return draw(
    seconds,
    (time) =>
      tones.reduce(
        (sum, tone, at) =>
          sum + (sine(hertz * tone * time) * pluck(time, 0.002, (seconds * 1.1) / (1 + at * 0.35))) / (1 + at * 0.55),
        0,
      ) / 2,
  );
}

function step(random: Source): Signal {
  const [noise, deep, band, low] = [white(random), brown(random), filter('band'), filter('low')];
  const hertz = 1_300 + 700 * random();
  return draw(
    0.22,
    (time) =>
      0.5 * band(noise(), hertz, 0.8) * pluck(time, 0.006, 0.1) + 2.4 * low(deep(), 190) * pluck(time, 0.003, 0.13),
  );
}
