import { type ReactNode, useId, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly tone?: 'danger';
  onSelect(): void;
}

/** A button that opens a list of actions. The popover is native: Escape and a click outside close it. */
export function Menu({ label, items, children }: { label: string; items: readonly MenuItem[]; children?: ReactNode }) {
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        className="button"
        data-kind="plain"
        data-shape="icon"
        type="button"
        popoverTarget={id}
        aria-label={label}
        aria-haspopup="true"
      >
        {children ?? <Icon name="more" />}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring the style of a form */}
      <div className="menu" id={id} ref={ref} popover="auto" role="group" aria-label={label}>
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            data-tone={item.tone}
            onClick={() => {
              ref.current?.hidePopover();
              item.onSelect();
            }}
          >
            <Icon name={item.icon} />
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
