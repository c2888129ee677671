import { type KeyboardEvent, useId } from 'react';

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly value: T; readonly label: string }[];
  readonly current: T;
  onCurrent(value: T): void;
  /** The id prefix that the panel shares: see `useTabs`. */
  readonly id: string;
}

/** Ids that tie the tabs and their panel. */
export function useTabs(): string {
  return useId();
}

export function Tabs<T extends string>({ label, tabs, current, onCurrent, id }: TabsProps<T>) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(({ value }) => value === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onCurrent(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ value, label: name }) => (
        <button
          key={value}
          id={`${id}-${value}`}
          role="tab"
          type="button"
          aria-selected={value === current}
          aria-controls={`${id}-panel`}
          tabIndex={value === current ? 0 : -1}
          onClick={() => onCurrent(value)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
