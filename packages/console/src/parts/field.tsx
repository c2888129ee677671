import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';
import { Icon } from './icon.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** Beside the label, for example a link. */
  readonly value?: ReactNode;
}

/** The attributes that tie a control to its label, its hint and its error. */
interface Tied {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

export function Field(props: FieldProps & { children(tied: Tied): ReactNode }) {
  const id = useId();
  const hasError = props.error !== undefined && props.error !== null;
  const described = [props.hint !== undefined ? `${id}-hint` : '', hasError ? `${id}-error` : ''].filter(Boolean);
  const tied = {
    id,
    'aria-invalid': hasError ? true : undefined,
    'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
  } as const;
  return (
    <div className="field">
      <label htmlFor={id}>
        {props.label}
        {props.value !== undefined && <span className="value">{props.value}</span>}
      </label>
      {props.children(tied)}
      {props.hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {props.hint}
        </span>
      )}
      {hasError && (
        <span className="error" id={`${id}-error`}>
          <Icon name="warning" />
          {props.error}
        </span>
      )}
    </div>
  );
}

type InputProps = FieldProps & { readonly unit?: string } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange'
  > & { readonly text: string; onText(text: string): void };

export function TextField({ label, hint, error, value, unit, text, onText, className, ...rest }: InputProps) {
  const input = (tied: Tied) => (
    <input
      {...rest}
      {...tied}
      className={`input ${className ?? ''}`.trim()}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
  return (
    <Field label={label} hint={hint} error={error} value={value}>
      {(tied) =>
        unit === undefined ? (
          input(tied)
        ) : (
          <div className="affix">
            {input(tied)}
            <span className="unit">{unit}</span>
          </div>
        )
      }
    </Field>
  );
}

type AreaProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange'> & {
    readonly text: string;
    onText(text: string): void;
  };

export function AreaField({ label, hint, error, value, text, onText, className, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error} value={value}>
      {(tied) => (
        <textarea
          {...rest}
          {...tied}
          className={`input ${className ?? ''}`.trim()}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export function SelectField<T extends string>(
  props: FieldProps & { choice: T; choices: readonly Choice<T>[]; onChoice(choice: T): void },
) {
  return (
    <Field {...props}>
      {(tied) => (
        <div className="select">
          <select
            {...tied}
            className="input"
            value={props.choice}
            onChange={(event) => props.onChoice(event.target.value as T)}
          >
            {props.choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </div>
      )}
    </Field>
  );
}

/** A select in a toolbar: small, named by a label for screen readers. */
export function SmallSelect<T extends string>(props: {
  label: string;
  choice: T;
  choices: readonly Choice<T>[];
  onChoice(choice: T): void;
}) {
  return (
    <div className="select" data-size="small">
      <select
        className="input"
        aria-label={props.label}
        value={props.choice}
        onChange={(event) => props.onChoice(event.target.value as T)}
      >
        {props.choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  );
}

export function CheckList<T extends string>(props: {
  legend: string;
  choices: readonly Choice<T>[];
  chosen: readonly T[];
  error?: string | null;
  onChosen(chosen: T[]): void;
}) {
  return (
    <fieldset className="field">
      <legend>{props.legend}</legend>
      {props.choices.map(({ value, label, hint }) => (
        <label className="check" key={value}>
          <input
            type="checkbox"
            checked={props.chosen.includes(value)}
            onChange={(event) =>
              props.onChosen(
                props.choices
                  .map((choice) => choice.value)
                  .filter((each) => (each === value ? event.target.checked : props.chosen.includes(each))),
              )
            }
          />
          <span>{label}</span>
          {hint !== undefined && <span className="hint">{hint}</span>}
        </label>
      ))}
      {props.error !== undefined && props.error !== null && (
        <span className="error">
          <Icon name="warning" />
          {props.error}
        </span>
      )}
    </fieldset>
  );
}
