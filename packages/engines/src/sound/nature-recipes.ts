import {
  brown,
  draw,
  filter,
  lay,
  pink,
  pluck,
  RATE,
  type Signal,
  type Source,
  scatter,
  sine,
  wander,
  white,
} from '../audio/signal.ts';
import type { Recipe } from './recipe.ts';

export const natureRecipes = {
  wind: {
    words: ['windy', 'breeze', 'gust', 'gusts', 'blizzard', 'howling'],
    kind: 'bed',
    make({ seconds, random }) {
      const [air, body, whistle] = [pink(random), filter('low'), filter('band')];
      const [gust, tone] = [wander(random, 0.5), wander(random, 0.8)];
      return draw(seconds, (time) => {
        const [force, pitch, value] = [0.25 + 0.75 * gust(time), tone(time), air()];
        return force * (body(value, 250 + 700 * force) + 0.5 * whistle(value, 380 + 500 * pitch, 6) * force);
      });
    },
  },
  rain: {
    words: ['rainy', 'raining', 'drizzle', 'downpour', 'rainfall'],
    kind: 'bed',
    make({ seconds, random }) {
      const [hiss, high, low] = [white(random), filter('high'), filter('low')];
      const sound = draw(seconds, () => 0.22 * low(high(hiss(), 900), 9_000));
      for (const at of scatter(random, { seconds, perSecond: 130 }))
        lay(sound, drop(random, 2_200 + 4_500 * random()), { at, gain: 0.1 + 0.5 * random() ** 3 });
      return sound;
    },
  },
  thunder: {
    words: ['thunderstorm', 'lightning', 'thunderclap', 'storm', 'stormy'],
    kind: 'shot',
    periodSeconds: 7,
    room: 0.5,
    make({ random }) {
      const [rumble, crack, low, high] = [brown(random), white(random), filter('low'), filter('high')];
      const roll = wander(random, 5);
      return draw(6, (time) => {
        const strike = high(crack(), 1_200) * (pluck(time, 0.004, 0.25) + 0.6 * pluck(time - 0.12, 0.004, 0.2));
        return (
          0.55 * strike +
          3.2 * low(rumble(), 120 + 500 * Math.exp(-time * 2)) * pluck(time, 0.05, 7) * (0.25 + roll(time))
        );
      });
    },
  },
  fire: {
    words: ['campfire', 'fireplace', 'flames', 'burning', 'bonfire', 'crackling'],
    kind: 'bed',
    make({ seconds, random }) {
      const [roar, low] = [brown(random), filter('low')];
      const breath = wander(random, 3);
      const sound = draw(seconds, (time) => 0.9 * low(roar(), 420) * (0.5 + 0.7 * breath(time)));
      for (const at of scatter(random, { seconds, perSecond: 16 })) {
        const [snap, band, hertz, decay] = [
          white(random),
          filter('band'),
          900 + 5_500 * random(),
          0.008 + 0.04 * random() ** 3,
        ];
        lay(
          sound,
          draw(0.08, (time) => band(snap(), hertz, 1.5) * pluck(time, 0.0005, decay)),
          { at, gain: 0.25 + 1.3 * random() ** 5 },
        );
      }
      return sound;
    },
  },
  ocean: {
    words: ['sea', 'waves', 'wave', 'surf', 'beach', 'shore'],
    kind: 'bed',
    make({ seconds, random }) {
      const [water, low, high] = [pink(random), filter('low'), filter('high')];
      const drift = wander(random, 0.25);
      const start = random();
      return draw(seconds, (time) => {
        const part = (time / 6.5 + start + 0.15 * drift(time)) % 1;
        const swell = part < 0.35 ? (part / 0.35) ** 2 : Math.exp(-(part - 0.35) * 4.5);
        const value = water();
        return (0.1 + 0.9 * swell) * low(value, 350 + 3_800 * swell) + 0.25 * swell ** 2 * high(value, 2_500);
      });
    },
  },
  stream: {
    words: ['river', 'creek', 'brook', 'water', 'waterfall', 'fountain', 'babbling'],
    kind: 'bed',
    make({ seconds, random }) {
      const [flow, band] = [pink(random), filter('band')];
      const sound = draw(seconds, () => 0.3 * band(flow(), 900, 0.5));
      for (const at of scatter(random, { seconds, perSecond: 45 }))
        lay(sound, bubble(random), { at, gain: 0.08 + 0.3 * random() ** 2 });
      return sound;
    },
  },
  birds: {
    words: ['bird', 'birdsong', 'chirping', 'chirp', 'tweet', 'tweeting'],
    kind: 'bed',
    room: 0.35,
    make({ seconds, random }) {
      const sound = new Float32Array(Math.round(seconds * RATE));
      for (let at = 0.1 * random(); at < seconds; at += 0.35 + 0.9 * random()) {
        const [hertz, bend, notes, step] = [
          2_400 + 2_600 * random(),
          random() * 2 - 1,
          2 + Math.floor(random() * 5),
          0.07 + 0.06 * random(),
        ];
        for (let note = 0; note < notes; note++) {
          let phase = 0;
          const call = draw(step, (time) => {
            const part = time / step;
            phase += (hertz * (1 + 0.22 * bend * Math.sin(part * Math.PI * 2) + 0.04 * note * bend)) / RATE;
            return sine(phase) * Math.sin(part * Math.PI) ** 2;
          });
          lay(sound, call, { at: at + note * step * 1.25, gain: 0.3 + 0.3 * random() });
        }
      }
      return sound;
    },
  },
  crickets: {
    words: ['cricket', 'cicada', 'cicadas', 'insects', 'night'],
    kind: 'bed',
    make({ seconds, random }) {
      const sound = draw(seconds, () => 0);
      for (let insect = 0; insect < 4; insect++) {
        const [hertz, rate, start, gain] = [
          4_100 + 700 * random(),
          2.2 + 0.9 * random(),
          random(),
          0.12 + 0.25 * random(),
        ];
        for (let at = 0; at < sound.length; at++) {
          const time = at / RATE;
          const part = (time * rate + start) % 1;
          const pulse = part < 0.42 ? Math.max(0, Math.sin((part / 0.42) * Math.PI * 3 * 2)) : 0;
          sound[at]! += gain * pulse * sine(hertz * time);
        }
      }
      return sound;
    },
  },
  drip: {
    words: ['drop', 'droplet', 'dripping', 'drops', 'cave'],
    kind: 'shot',
    periodSeconds: 2,
    room: 0.9,
    make: ({ random }) => {
      const hertz = 820 + 260 * random();
      return draw(0.5, (time) => sine(hertz * time + 900 * time * time) * pluck(time, 0.002, 0.16));
    },
  },
  bubbles: {
    words: ['bubble', 'bubbling', 'underwater', 'boiling', 'aquarium'],
    kind: 'bed',
    room: 0.25,
    make({ seconds, random }) {
      const [deep, low] = [brown(random), filter('low')];
      const sound = draw(seconds, () => 0.25 * low(deep(), 200));
      for (const at of scatter(random, { seconds, perSecond: 14 }))
        lay(sound, bubble(random), { at, gain: 0.25 + 0.6 * random() });
      return sound;
    },
  },
} as const satisfies Record<string, Recipe>;

function drop(random: Source, hertz: number): Signal {
  const [noise, band] = [white(random), filter('band')];
  return draw(0.025, (time) => band(noise(), hertz, 2) * pluck(time, 0.0005, 0.018));
}

/** A bubble rings and rises in pitch as it closes. */
function bubble(random: Source): Signal {
  const [hertz, length] = [280 + 1_300 * random() ** 2, 0.04 + 0.09 * random()];
  let phase = 0;
  return draw(length, (time) => {
    phase += (hertz * (1 + 0.9 * (time / length))) / RATE;
    return sine(phase) * pluck(time, 0.003, length);
  });
}
