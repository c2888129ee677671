import type { Asset, Generation } from '@atelier/contract';
import { Icon, type IconName } from '../../parts/icon.tsx';

const ICONS = { image: 'image', video: 'film', audio: 'sound', '3d': 'cube', text: 'list' } as const satisfies Record<
  Asset['kind'],
  IconName
>;

/** A small picture of the first output, or the icon of its kind. */
export function Preview({ generation }: { generation: Generation }) {
  const [first] = generation.outputs;
  return (
    <span className="preview">
      {first === undefined ? (
        <Icon name={ICONS[generation.modality]} />
      ) : (
        <img src={first.thumbnailUrl} alt="" loading="lazy" />
      )}
    </span>
  );
}
