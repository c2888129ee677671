import sprite from '../icons.svg';

export type IconName =
  | 'book'
  | 'brush'
  | 'canceled'
  | 'chart'
  | 'check'
  | 'clock'
  | 'coin'
  | 'copy'
  | 'cross'
  | 'cube'
  | 'dice'
  | 'down'
  | 'download'
  | 'failed'
  | 'film'
  | 'gauge'
  | 'hook'
  | 'image'
  | 'info'
  | 'key'
  | 'link'
  | 'list'
  | 'lock'
  | 'mark'
  | 'menu'
  | 'more'
  | 'out'
  | 'pause'
  | 'people'
  | 'plus'
  | 'processing'
  | 'pulse'
  | 'queued'
  | 'repeat'
  | 'right'
  | 'search'
  | 'send'
  | 'settings'
  | 'slide'
  | 'sound'
  | 'succeeded'
  | 'switch'
  | 'tag'
  | 'updown'
  | 'upload'
  | 'warning'
  | 'wrench'
  | 'zoom';

/** Decoration: the text beside it, or the label of its button, says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
