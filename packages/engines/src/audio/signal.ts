export const RATE = 44_100;

/** One audio channel, about -1 to 1. */
export type Signal = Float32Array;
export type Source = () => number;

/** Fills a signal from a function of the time in seconds. */
export function draw(seconds: number, value: (time: number) => number): Signal {
  return Float32Array.from({ length: Math.max(1, Math.round(seconds * RATE)) }, (_, at) => value(at / RATE));
}

export function white(random: Source): Source {
  return () => random() * 2 - 1;
}

/** Pink noise, equal power per octave: three leaky averages of white noise. */
export function pink(random: Source): Source {
  let [slow, middle, fast] = [0, 0, 0];
  return () => {
    const value = random() * 2 - 1;
    slow += 0.0035 * (value - slow);
    middle += 0.035 * (value - middle);
    fast += 0.28 * (value - fast);
    return 5.2 * slow + 1.7 * middle + 0.55 * fast + 0.12 * value;
  };
}

/** Brown noise: a random walk that decays to zero. */
export function brown(random: Source): Source {
  let walk = 0;
  return () => {
    walk = walk * 0.997 + (random() * 2 - 1) * 0.06;
    return walk;
  };
}

/** A state-variable filter whose cutoff may change with every sample. */
export function filter(kind: 'low' | 'high' | 'band'): (value: number, hertz: number, resonance?: number) => number {
  let [first, second] = [0, 0];
  return (value, hertz, resonance = 0.7) => {
    const g = Math.tan(Math.PI * Math.min(0.45, Math.max(5, hertz) / RATE));
    const k = 1 / resonance;
    const band = (first + g * (value - second)) / (1 + g * (g + k));
    const low = second + g * band;
    first = 2 * band - first;
    second = 2 * low - second;
    return kind === 'low' ? low : kind === 'band' ? band * k : value - k * band - low;
  };
}

export function sine(phase: number): number {
  return Math.sin(2 * Math.PI * phase);
}

export function square(phase: number, width = 0.5): number {
  return phase - Math.floor(phase) < width ? 1 : -1;
}

/** Rises in `attack` seconds, then falls to a thousandth in `decay` seconds. */
export function pluck(time: number, attack: number, decay: number): number {
  if (time < 0) return 0;
  return time < attack ? time / attack : Math.exp((-6.9 * (time - attack)) / decay);
}

/** A random value that varies between 0 and 1, about `hertz` times per second. */
export function wander(random: Source, hertz: number): (time: number) => number {
  const points: number[] = [];
  return (time) => {
    const place = time * hertz;
    const at = Math.floor(place);
    while (points.length < at + 2) points.push(random());
    const share = place - at;
    const ease = share * share * (3 - 2 * share);
    return points[at]! + (points[at + 1]! - points[at]!) * ease;
  };
}

/** The phase of an exponential frequency sweep at a given time. */
export function glide(time: number, options: { from: number; to: number; seconds: number }): number {
  const { from, to, seconds } = options;
  if (from === to) return from * time;
  const rate = Math.log(to / from) / seconds;
  const until = Math.min(time, seconds);
  return (from / rate) * (Math.exp(rate * until) - 1) + Math.max(0, time - seconds) * to;
}

/** Adds one signal to another from a given time. */
export function lay(onto: Signal, what: Signal, options: { at: number; gain?: number }): void {
  const start = Math.round(options.at * RATE);
  for (let at = 0; at < what.length && start + at < onto.length; at++)
    if (start + at >= 0) onto[start + at]! += what[at]! * (options.gain ?? 1);
}

/** Random times, with the given rate per second. */
export function scatter(random: Source, options: { seconds: number; perSecond: number }): number[] {
  const moments: number[] = [];
  for (let time = 0; ; ) {
    time += -Math.log(1 - random()) / options.perSecond;
    if (time >= options.seconds) return moments;
    moments.push(time);
  }
}

export interface Stereo {
  readonly left: Signal;
  readonly right: Signal;
}
