import { Icon } from './icon.tsx';

interface SearchFieldProps {
  /** Shown in the empty field, and read to people who do not see it. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength?: number;
}

/** A field that finds rows of a list or an object by its id. */
export function SearchField({ label, value, onChange, maxLength }: SearchFieldProps) {
  return (
    <div className="affix">
      <Icon name="search" />
      <input
        className="input"
        type="search"
        placeholder={label}
        aria-label={label}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
