import { brown, draw, filter, glide, lay, pink, pluck, RATE, sine, square, wander, white } from '../audio/signal.ts';
import type { Recipe } from './recipe.ts';

export const machineRecipes = {
  engine: {
    words: ['motor', 'car', 'truck', 'motorcycle', 'tractor', 'idle', 'idling'],
    kind: 'bed',
    make({ seconds, random }) {
      const [rough, low, speed] = [brown(random), filter('low'), wander(random, 0.7)];
      let phase = 0;
      return draw(seconds, (time) => {
        phase += (26 + 10 * speed(time)) / RATE;
        const fire = (phase % 1) ** 0.5 * 2 - 1;
        return low(0.7 * fire + 0.5 * square(phase * 0.5, 0.3) + 1.5 * rough(), 420 + 250 * speed(time), 1.2);
      });
    },
  },
  helicopter: {
    words: ['chopper', 'rotor', 'drone', 'propeller'],
    kind: 'bed',
    make({ seconds, random }) {
      const [air, low, band] = [white(random), filter('low'), filter('band')];
      return draw(seconds, (time) => {
        const blade = Math.max(0, sine(11 * time)) ** 3;
        return low(air(), 300 + 900 * blade) * (0.2 + 1.2 * blade) + 0.2 * band(air(), 2_100, 4);
      });
    },
  },
  spaceship: {
    words: ['spacecraft', 'scifi', 'hum', 'humming', 'reactor', 'space'],
    kind: 'bed',
    room: 0.5,
    make({ seconds, random }) {
      const [air, low, drift] = [pink(random), filter('low'), wander(random, 0.4)];
      return draw(
        seconds,
        (time) =>
          0.4 * sine(55 * time) +
          0.3 * sine(55.7 * time + 0.2 * sine(0.3 * time)) +
          0.2 * sine(110.4 * time) +
          0.7 * low(air(), 240 + 420 * drift(time), 2),
      );
    },
  },
  siren: {
    words: ['police', 'ambulance', 'emergency', 'firetruck'],
    kind: 'bed',
    room: 0.25,
    make({ seconds }) {
      let phase = 0;
      return draw(seconds, (time) => {
        phase += (840 + 380 * sine(0.42 * time - 0.25)) / RATE;
        return 0.6 * sine(phase) + 0.22 * sine(2 * phase) + 0.12 * sine(3 * phase);
      });
    },
  },
  alarm: {
    words: ['alert', 'warning', 'alarms'],
    kind: 'bed',
    room: 0.1,
    make: ({ seconds }) =>
      draw(seconds, (time) => {
        const part = (time * 2) % 1;
        const edge = Math.min(1, part / 0.02, Math.max(0, 0.55 - part) / 0.02);
        return 0.5 * square((Math.floor(time * 2) % 2 === 0 ? 960 : 770) * time, 0.5) * Math.max(0, edge);
      }),
  },
  static: {
    words: ['radio', 'noise', 'interference', 'untuned', 'tv'],
    kind: 'bed',
    make({ seconds, random }) {
      const [noise, band, fade] = [white(random), filter('band'), wander(random, 2.5)];
      return draw(
        seconds,
        (time) => band(noise(), 2_300, 0.5) * (0.45 + 0.55 * fade(time)) + (random() < 0.0006 ? random() * 2 - 1 : 0),
      );
    },
  },
  clock: {
    words: ['ticking', 'tick', 'tock', 'watch', 'timer', 'metronome'],
    kind: 'bed',
    room: 0.2,
    make({ seconds, random }) {
      const sound = draw(seconds, () => 0);
      for (let tick = 0; tick < seconds * 2; tick++) {
        const [noise, band, hertz] = [white(random), filter('band'), tick % 2 === 0 ? 3_400 : 2_500];
        lay(
          sound,
          draw(0.06, (time) => band(noise(), hertz, 5) * pluck(time, 0.0005, 0.03)),
          { at: tick * 0.5 + 0.05 },
        );
      }
      return sound;
    },
  },
  typing: {
    words: ['keyboard', 'typewriter', 'keys', 'type'],
    kind: 'bed',
    room: 0.1,
    make({ seconds, random }) {
      const sound = draw(seconds, () => 0);
      for (let at = 0.05; at < seconds; at += 0.07 + 0.16 * random() + (random() < 0.08 ? 0.35 : 0)) {
        for (const [delay, gain] of [
          [0, 1],
          [0.045 + 0.02 * random(), 0.5],
        ] as const) {
          const [noise, band, hertz] = [white(random), filter('band'), 1_500 + 2_400 * random()];
          lay(
            sound,
            draw(0.035, (time) => band(noise(), hertz, 1.4) * pluck(time, 0.0006, 0.022)),
            { at: at + delay, gain: gain * (0.6 + 0.4 * random()) },
          );
        }
      }
      return sound;
    },
  },
  shutter: {
    words: ['camera', 'photo', 'snapshot', 'photograph'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.1,
    make({ random }) {
      const sound = draw(0.3, () => 0);
      for (const [at, hertz] of [
        [0, 3_200],
        [0.012, 1_800],
        [0.11, 2_600],
        [0.125, 1_400],
      ] as const) {
        const [noise, band] = [white(random), filter('band')];
        lay(
          sound,
          draw(0.04, (time) => band(noise(), hertz, 1.6) * pluck(time, 0.0004, 0.025)),
          { at },
        );
      }
      return sound;
    },
  },
  telephone: {
    words: ['phone', 'ring', 'ringing', 'ringtone'],
    kind: 'shot',
    periodSeconds: 3,
    room: 0.2,
    make: () =>
      draw(
        1.7,
        (time) =>
          (0.4 * sine(1_400 * time) + 0.35 * sine(1_690 * time)) *
          (0.5 + 0.5 * square(20 * time)) *
          Math.min(1, time / 0.01) *
          (time < 1.4 ? 1 : pluck(time - 1.4, 0.001, 0.25)),
      ),
  },
  horn: {
    words: ['honk', 'honking', 'foghorn', 'airhorn'],
    kind: 'shot',
    periodSeconds: 2.5,
    room: 0.3,
    make: () => {
      const low = filter('low');
      return draw(
        1.1,
        (time) =>
          low(0.5 * square(392 * time, 0.4) + 0.5 * square(494 * time, 0.4), 2_400) *
          Math.min(1, time / 0.03) *
          (time < 0.9 ? 1 : pluck(time - 0.9, 0.001, 0.2)),
      );
    },
  },
  train: {
    words: ['locomotive', 'railway', 'steam', 'subway'],
    kind: 'bed',
    room: 0.2,
    make({ seconds, random }) {
      const [air, deep, band, low] = [white(random), brown(random), filter('band'), filter('low')];
      const sound = draw(seconds, (time) => {
        const puff = Math.max(0, sine(3.4 * time)) ** 2;
        return 0.5 * band(air(), 700 + 500 * puff, 0.8) * puff + 1.4 * low(deep(), 160);
      });
      for (let at = 0; at < seconds; at += 1.1) {
        for (const delay of [0, 0.13])
          lay(
            sound,
            draw(0.12, (time) => sine(glide(time, { from: 260, to: 120, seconds: 0.08 })) * pluck(time, 0.001, 0.09)),
            { at: at + delay, gain: 0.5 },
          );
      }
      return sound;
    },
  },
} as const satisfies Record<string, Recipe>;
