import { type Effect, type Model, WORKSPACES, type Workspace } from '@atelier/contract';
import type { Mode } from '@atelier/contract/console';
import { Link, useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { SmallSelect } from '../../parts/field.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Coins } from '../../parts/status.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { nameOf } from '../../text/name-of.ts';
import { useText } from '../../text/use-text.ts';
import { type CardGroup, describeModel, groupCards } from './find-target.ts';
import type { Target } from './form-state.ts';
import { pictureOf } from './pictures.ts';

export const LIST_ID = 'models';

const ICONS = {
  image: 'image',
  video: 'film',
  audio: 'sound',
  '3d': 'cube',
  tools: 'wrench',
} as const satisfies Record<Workspace, IconName>;

/** What a model makes, or the sign of its workspace. */
export function ModelPicture({ model }: { model: Model }) {
  const picture = pictureOf(model.id);
  return picture === null ? (
    <span className="tile">
      <Icon name={ICONS[model.workspace]} />
    </span>
  ) : (
    <img src={picture} width={44} height={36} alt="" loading="lazy" />
  );
}

const FEW = 6;

function EffectCards({ effects, current, isWhole }: { effects: readonly Effect[]; current: string; isWhole: boolean }) {
  const text = useText();
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll || isWhole ? effects : effects.slice(0, FEW);
  return (
    <>
      <h2>
        <Icon name="brush" />
        {text.playground.effects}
        {effects.length > FEW && !isWhole && (
          <button className="all" type="button" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? text.playground.fewer : text.playground.all(effects.length)}
          </button>
        )}
      </h2>
      <div className="effects">
        {shown.map(({ id, nameKey, thumbnail }) => (
          <Link
            key={id}
            to="."
            search={{ effect: id }}
            hash=""
            aria-current={id === current ? 'true' : undefined}
            preload={false}
          >
            {thumbnail === null ? (
              <span className="tile">
                <Icon name="brush" />
              </span>
            ) : (
              <img src={thumbnail} width={320} height={320} alt="" loading="lazy" />
            )}
            {nameOf(text, nameKey)}
          </Link>
        ))}
      </div>
    </>
  );
}

function Group({ group, target, isWhole }: { group: CardGroup; target: Target | null; isWhole: boolean }) {
  const text = useText();
  const format = useFormat();
  return (
    <>
      {group.models.length > 0 && (
        <h2>
          <Icon name={ICONS[group.workspace]} />
          {text.generations.filters.workspaces[group.workspace]}
        </h2>
      )}
      {group.models.map((model) => (
        <Link
          key={model.id}
          to="."
          search={{ model: model.id }}
          hash=""
          aria-current={target?.effect === null && target.model.id === model.id ? 'true' : undefined}
          data-closed={model.availability.state === 'closed' ? '' : undefined}
          preload={false}
        >
          <ModelPicture model={model} />
          <span>
            <b>{model.displayName}</b>
            <small>{describeModel(model)}</small>
          </span>
          {model.priceFromCoins !== null && <Coins>{format.number(model.priceFromCoins)}</Coins>}
        </Link>
      ))}
      {group.effects.length > 0 && (
        <EffectCards effects={group.effects} current={target?.effect?.id ?? ''} isWhole={isWhole} />
      )}
    </>
  );
}

/** The narrow navigation beside the playground has no room for the toggle. */
function ModeSwitch() {
  const text = useText().shell;
  const navigate = useNavigate();
  const { mode, membership } = useAccount();
  return (
    <Segmented<Mode>
      label={text.mode}
      choice={mode}
      choices={[
        { value: 'live', label: text.live },
        { value: 'test', label: text.test },
      ]}
      onChoice={(next) =>
        void navigate({
          to: '/accounts/$accountId/playground',
          params: { accountId: membership.accountIds[next] },
          search: (search) => search,
        })
      }
    />
  );
}

const EVERY = '';

const rankOf = ({ id, availability }: Model): number =>
  (availability.state === 'closed' ? 2 : 0) + (pictureOf(id) === null ? 1 : 0);

/** Models and effects to choose from. Where there is no room beside the form it is a popover. */
export function ModelList(props: {
  models: readonly Model[];
  effects: readonly Effect[];
  target: Target | null;
  ref: RefObject<HTMLElement | null>;
}) {
  const text = useText();
  const [find, setFind] = useState('');
  const [workspace, setWorkspace] = useState<Workspace | ''>(EVERY);
  const { effects, target, ref } = props;
  // What can be started and seen comes first; the rest keeps the order of the catalog.
  const models = props.models.toSorted((a, b) => rankOf(a) - rankOf(b));
  const groups = groupCards({
    models,
    effects,
    find,
    text,
    workspaces: workspace === EVERY ? WORKSPACES : [workspace],
  });
  const chosen = target?.effect?.id ?? target?.model.id;
  useEffect(() => {
    if (chosen !== undefined && ref.current?.matches(':popover-open')) ref.current.hidePopover();
  }, [chosen, ref]);
  return (
    <nav className="models" id={LIST_ID} ref={ref} aria-label={text.playground.models} popover="auto">
      <ModeSwitch />
      <SearchField label={text.playground.find} value={find} onChange={setFind} />
      <SmallSelect<Workspace | ''>
        label={text.playground.workspace}
        choice={workspace}
        choices={[
          { value: EVERY, label: text.playground.everyWorkspace },
          ...WORKSPACES.map((value) => ({ value, label: text.generations.filters.workspaces[value] })),
        ]}
        onChoice={setWorkspace}
      />
      {groups.length === 0 && <p className="quiet">{text.playground.noMatch}</p>}
      {groups.map((group) => (
        <Group key={group.workspace} group={group} target={target} isWhole={find.trim() !== ''} />
      ))}
    </nav>
  );
}
