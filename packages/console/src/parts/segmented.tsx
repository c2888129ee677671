import { type ReactNode, useId } from 'react';

/** One of a few: radio buttons in one frame. */
export function Segmented<T extends string>(props: {
  label: string;
  choice: T;
  choices: readonly { readonly value: T; readonly label: ReactNode }[];
  onChoice(choice: T): void;
}) {
  const name = useId();
  return (
    <div className="segmented" role="radiogroup" aria-label={props.label}>
      {props.choices.map(({ value, label }) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === props.choice} onChange={() => props.onChoice(value)} />
          {label}
        </label>
      ))}
    </div>
  );
}
