interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** Each is one look: a chain of ffmpeg filters, which may define its own pads. */
type DrawEffect = (frame: FrameSize) => string;

const SEPIA = 'colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131:0';

export const videoEffects = {
  'old-film': ({ width, height }) => {
    const margin = Math.max(2, Math.round(height * 0.012));
    const jitter = `crop=iw-${2 * margin}:ih-${2 * margin}:${margin}+${margin * 0.4}*sin(n*1.9):${margin}+${margin * 0.9}*sin(n*2.7)*sin(n*0.37)`;
    const scratch = (at: string, every: number, during: number) =>
      `drawbox=x='iw*(${at})':y=0:w=${Math.max(1, Math.round(width / 600))}:h=ih:color=white@0.28:t=fill:enable='lt(mod(t,${every}),${during})'`;
    return [
      'fps=18,format=gbrp',
      SEPIA,
      'format=yuv420p',
      "eq=contrast=1.1:gamma=1.12:brightness='0.01+0.03*sin(n*1.7)+0.025*sin(n*4.9)':eval=frame",
      jitter,
      `scale=${width}:${height}`,
      'gblur=sigma=0.6',
      'noise=c0s=14:c0f=t+u',
      scratch('0.31+0.02*sin(t*9)', 1.9, 0.5),
      scratch('0.72+0.01*sin(t*13)', 2.7, 0.35),
      'vignette=angle=PI/5.5',
    ].join(',');
  },

  vhs: ({ width, height }) => {
    const [strip, shift] = [Math.max(4, Math.round(height * 0.035)), Math.max(2, Math.round(width * 0.006))];
    return [
      // Tape stores less chroma than luma: chroma is blurred and delayed, luma only loses fine detail.
      [
        `scale=${Math.max(320, Math.round(width / 4) * 2)}:${height}:flags=bilinear,scale=${width}:${height}:flags=bilinear`,
        `gblur=sigma=${(width * 0.008).toFixed(1)}:sigmaV=1:planes=6,chromashift=cbh=${shift}:crh=-${shift}:edge=smear`,
        'eq=saturation=1.35:contrast=0.95:brightness=0.02,noise=c0s=7:c0f=t:c1s=4:c1f=t:c2s=4:c2f=t',
        `drawgrid=w=${2 * width}:h=${Math.max(3, Math.round(height / 180))}:t=1:c=black@0.12,split[tape][low]`,
      ].join(','),
      `[low]crop=iw:${strip}:0:ih-${strip},noise=alls=40:allf=t,rgbashift=rh=${4 * shift}:bh=-${4 * shift}:edge=wrap,format=yuv420p[torn]`,
      `[tape][torn]overlay=x='${2 * shift}*sin(n*1.3)':y=H-h:format=yuv420`,
    ].join(';');
  },

  noir: () => 'hue=s=0,curves=all=0/0 0.22/0.08 0.5/0.5 0.78/0.93 1/1,vignette=angle=PI/4.5,noise=c0s=9:c0f=t',

  comic: () =>
    [
      'bilateral=sigmaS=8:sigmaR=0.1,split[flat][lines]',
      // Posterizes luma only: posterized chroma would show bands in skies.
      "[flat]lutyuv=y='16+round((val-16)/36.5)*36.5',eq=saturation=1.7:contrast=1.1,format=gbrp[paint]",
      '[lines]format=gray,gblur=sigma=1,edgedetect=low=0.05:high=0.12,dilation,gblur=sigma=0.5,negate,format=gbrp[ink]',
      '[paint][ink]blend=all_mode=multiply,format=yuv420p',
    ].join(';'),

  'dream-glow': ({ width }) =>
    [
      'format=gbrp,split[plain][light]',
      `[light]eq=brightness=-0.06:contrast=1.2:saturation=1.15,format=gbrp,gblur=sigma=${(width / 36).toFixed(1)}:steps=2[glow]`,
      '[plain][glow]blend=all_mode=screen:all_opacity=0.7,colorbalance=rm=0.04:gm=0.01,format=yuv420p',
    ].join(';'),

  mirror: ({ width }) => {
    const half = Math.floor(width / 4) * 2;
    return `crop=${half}:ih:0:0,split[left][copy];[copy]hflip[right];[left][right]hstack,scale=${width}:ih`;
  },

  glitch: ({ width, height }) => {
    const [far, near] = [Math.round(width * 0.025), Math.max(2, Math.round(width * 0.006))];
    const slice = (name: string, options: { top: number; high: number; dx: number; when: string }) => {
      const [y, h] = [Math.round(height * options.top), Math.max(2, Math.round(height * options.high))];
      return `split[whole${name}][part${name}];[part${name}]crop=iw:${h}:0:${y},rgbashift=rh=${far}:bh=-${far}:edge=wrap,format=yuv420p[cut${name}];[whole${name}][cut${name}]overlay=x=${options.dx}:y=${y}:format=yuv420:enable='${options.when}'`;
    };
    return [
      `rgbashift=rh=-${near}:bh=${near}:edge=smear`,
      `rgbashift=rh=-${far}:gv=${near}:bh=${far}:edge=smear:enable='lt(mod(t,1.1),0.16)+between(mod(t,2.3),1.2,1.3)'`,
      'format=yuv420p',
      slice('a', { top: 0.18, high: 0.09, dx: 3 * far, when: 'lt(mod(t,0.9),0.12)' }),
      slice('b', { top: 0.47, high: 0.05, dx: -4 * far, when: 'between(mod(t,1.3),0.3,0.45)' }),
      slice('c', { top: 0.7, high: 0.13, dx: 2 * far, when: 'between(mod(t,1.7),0.8,0.92)' }),
      "noise=alls=14:allf=t:enable='lt(mod(t,1.1),0.16)',eq=saturation=1.25:contrast=1.08",
      `drawgrid=w=${2 * width}:h=3:t=1:c=black@0.12`,
    ].join(',');
  },

  'day-for-night': () =>
    'format=gbrp,curves=r=0/0 0.5/0.16 1/0.5:g=0/0 0.5/0.24 1/0.62:b=0/0.03 0.5/0.42 1/0.86,hue=s=0.62,format=yuv420p,vignette=angle=PI/4.4',

  'tilt-shift': ({ width, height }) =>
    [
      'eq=saturation=1.45:contrast=1.08,format=gbrp,split[sharp][copy]',
      `[copy]gblur=sigma=${(Math.max(width, height) * 0.009).toFixed(1)}:steps=2[soft]`,
      // A fixed mask: sharp in a band below the middle, blurred above and below.
      `color=black:s=${width}x${height}:r=1:d=1,format=gray,geq=lum='255*clip((abs(Y/H-0.56)-0.12)/0.24,0,1)',format=gbrp,loop=loop=-1:size=1[band]`,
      '[sharp][soft][band]maskedmerge,format=yuv420p',
    ].join(';'),
} as const satisfies Record<string, DrawEffect>;

export type VideoEffectName = keyof typeof videoEffects;
