import { brown, draw, filter, glide, pluck, sine, square, wander, white } from '../audio/signal.ts';
import type { Recipe } from './recipe.ts';

export const gameRecipes = {
  laser: {
    words: ['lasers', 'blaster', 'raygun', 'pew', 'phaser'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.2,
    make: ({ random }) => {
      const from = 1_700 + 900 * random();
      return draw(
        0.45,
        (time) =>
          0.7 *
          (square(glide(time, { from, to: 110, seconds: 0.32 }), 0.35) * 0.6 +
            sine(glide(time, { from: from / 2, to: 60, seconds: 0.32 }))) *
          pluck(time, 0.002, 0.42),
      );
    },
  },
  explosion: {
    words: ['explode', 'exploding', 'blast', 'boom', 'bomb', 'detonation'],
    kind: 'shot',
    periodSeconds: 4,
    room: 0.55,
    make({ random }) {
      const [burst, deep, low, body] = [white(random), brown(random), filter('low'), filter('low')];
      return draw(
        3,
        (time) =>
          low(burst(), 4_500 * Math.exp(-time * 4) + 90) * pluck(time, 0.003, 1.9) +
          2.2 * body(deep(), 140) * pluck(time, 0.02, 3) +
          0.8 * sine(glide(time, { from: 95, to: 32, seconds: 0.5 })) * pluck(time, 0.004, 1.1),
      );
    },
  },
  coin: {
    words: ['coins', 'collect', 'pickup', 'money'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.15,
    make: () =>
      draw(
        0.8,
        (time) =>
          (time < 0.075
            ? square(988 * time, 0.5) * 0.5
            : square(1_319 * (time - 0.075), 0.5) * 0.5 * pluck(time - 0.075, 0.001, 0.7)) *
          (time < 0.002 ? time / 0.002 : 1),
      ),
  },
  jump: {
    words: ['jumping', 'hop', 'bounce', 'boing', 'leap'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.1,
    make: () =>
      draw(
        0.4,
        (time) => square(glide(time, { from: 190, to: 760, seconds: 0.28 }), 0.35) * 0.6 * pluck(time, 0.004, 0.5),
      ),
  },
  powerup: {
    words: ['power', 'levelup', 'level', 'upgrade', 'bonus', 'magic', 'spell'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.4,
    make: () =>
      draw(1.3, (time) => {
        const step = Math.min(7, Math.floor(time / 0.075));
        const hertz = 392 * 2 ** ([0, 4, 7, 12, 16, 19, 24, 28][step]! / 12);
        return (
          (0.45 * square(hertz * time, 0.25) + 0.4 * sine(2 * hertz * time)) *
          pluck(time - step * 0.075, 0.002, step === 7 ? 0.9 : 0.3)
        );
      }),
  },
  hit: {
    words: ['punch', 'impact', 'thud', 'smack', 'slap', 'kick'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.2,
    make({ random }) {
      const [noise, low] = [white(random), filter('low')];
      return draw(
        0.5,
        (time) =>
          0.9 * sine(glide(time, { from: 170, to: 45, seconds: 0.12 })) * pluck(time, 0.001, 0.32) +
          low(noise(), 2_800) * pluck(time, 0.0005, 0.09),
      );
    },
  },
  gunshot: {
    words: ['gun', 'shot', 'shoot', 'shooting', 'pistol', 'rifle'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.6,
    make({ random }) {
      const [noise, low, deep] = [white(random), filter('low'), filter('low')];
      return draw(
        1.2,
        (time) =>
          low(noise(), 9_000 * Math.exp(-time * 14) + 300) * pluck(time, 0.0004, 0.28) +
          1.4 * deep(noise(), 180) * pluck(time, 0.001, 0.7),
      );
    },
  },
  gameover: {
    words: ['lose', 'losing', 'fail', 'death', 'defeat'],
    kind: 'shot',
    periodSeconds: 3,
    room: 0.2,
    make: () =>
      draw(1.5, (time) => {
        const step = Math.min(3, Math.floor(time / 0.24));
        const hertz = 392 * 2 ** ([0, -2, -4, -9][step]! / 12);
        return (
          0.55 *
          square(hertz * time + 0.004 * sine(6 * time) * step, 0.5) *
          pluck(time - step * 0.24, 0.003, step === 3 ? 1 : 0.5)
        );
      }),
  },
  zap: {
    words: ['electric', 'electricity', 'shock', 'spark', 'sparks', 'buzz', 'tesla'],
    kind: 'bed',
    room: 0.1,
    make({ seconds, random }) {
      const [noise, high, arc] = [white(random), filter('high'), wander(random, 28)];
      return draw(seconds, (time) => {
        const on = arc(time) > 0.52 ? 1 : 0.12;
        return (
          on *
          (0.35 * square(100 * time, 0.2) * (0.4 + 0.6 * random()) +
            0.5 * high(noise(), 2_600) * Math.abs(sine(50 * time)))
        );
      });
    },
  },
  whoosh: {
    words: ['swoosh', 'swish', 'swipe', 'transition', 'pass', 'flyby'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.2,
    make({ random }) {
      const [noise, band] = [white(random), filter('band')];
      return draw(0.9, (time) => {
        const swell = Math.sin(Math.PI * Math.min(1, time / 0.9)) ** 2;
        return 1.6 * band(noise(), 250 + 2_600 * swell ** 1.4, 1.1) * swell;
      });
    },
  },
} as const satisfies Record<string, Recipe>;
