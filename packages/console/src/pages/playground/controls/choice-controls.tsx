import type { ParamDescriptor, ParamValue } from '@atelier/contract';
import { type ReactNode, useId } from 'react';
import { SelectField } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { nameOf } from '../../../text/name-of.ts';
import { useText } from '../../../text/use-text.ts';
import type { ControlProps } from './control.ts';

type Plain = string | number | boolean;

/** The values of a field that lets people choose. A range has few steps if it is shown so. */
export function choicesOf(descriptor: ParamDescriptor): readonly Plain[] {
  if (descriptor.kind === 'enum') return descriptor.values;
  if (descriptor.kind !== 'range') return [];
  const { min, max, step } = descriptor;
  return Array.from({ length: Math.round((max - min) / step) + 1 }, (_, at) => Number((min + at * step).toFixed(6)));
}

/** A value as people read it: `coloured-pencil` is "Coloured pencil". */
export function labelOf(value: Plain): string {
  if (typeof value !== 'string') return String(value);
  const words = value.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `ff_siwis` is "Siwis (ff_siwis)": the part before the name tells language and kind. */
export function labelOfVoice(value: Plain): string {
  const [, , name] = /^([a-z]{2})_(\w+)$/.exec(String(value)) ?? [];
  return name === undefined ? labelOf(value) : `${labelOf(name)} (${value})`;
}

/** Radio buttons under one legend. */
function RadioField(props: {
  label: string;
  error: string | null;
  frame: 'segmented' | 'aspects';
  value: ParamValue | undefined;
  choices: readonly { readonly value: Plain; readonly label: string; readonly sign?: ReactNode }[];
  onValue(value: Plain): void;
}) {
  const name = useId();
  return (
    <fieldset className="field">
      <legend>{props.label}</legend>
      <div
        className={props.frame}
        role="radiogroup"
        aria-label={props.label}
        aria-invalid={props.error === null ? undefined : true}
      >
        {props.choices.map(({ value, label, sign }) => (
          <label key={String(value)}>
            {sign}
            <input type="radio" name={name} checked={value === props.value} onChange={() => props.onValue(value)} />
            {label}
          </label>
        ))}
      </div>
      {props.error !== null && (
        <span className="error">
          <Icon name="warning" />
          {props.error}
        </span>
      )}
    </fieldset>
  );
}

const BOX = 24;
const LARGEST = 20;

/** The rectangle of a ratio such as `16:9` inside its box. Null for a value that is no ratio. */
export function shapeOf(ratio: Plain): { x: number; y: number; width: number; height: number } | null {
  const [, across = '', down = ''] = /^(\d+):(\d+)$/.exec(String(ratio)) ?? [];
  const [w, h] = [Number(across), Number(down)];
  if (!(w > 0 && h > 0)) return null;
  const scale = LARGEST / Math.max(w, h);
  const [width, height] = [w * scale, h * scale];
  return { x: (BOX - width) / 2, y: (BOX - height) / 2, width, height };
}

export function AspectControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  return (
    <RadioField
      label={text.params[descriptor.name]}
      error={error}
      frame="aspects"
      value={value}
      onValue={onValue}
      choices={choicesOf(descriptor).map((each) => {
        const shape = shapeOf(each);
        return {
          value: each,
          label: labelOf(each),
          sign: (
            <svg viewBox={`0 0 ${BOX} ${BOX}`} aria-hidden="true">
              {shape !== null && <rect {...shape} rx="1.5" />}
            </svg>
          ),
        };
      })}
    />
  );
}

export function SegmentedControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  return (
    <RadioField
      label={text.params[descriptor.name]}
      error={error}
      frame="segmented"
      value={value}
      onValue={onValue}
      choices={choicesOf(descriptor).map((each) => ({ value: each, label: labelOf(each) }))}
    />
  );
}

/** One of many. The option keeps the place of the value, because a value can be a number or a boolean. */
function ChoiceField(props: ControlProps & { nameValue(value: Plain): string }) {
  const text = useText().playground;
  const { descriptor, value, error, onValue } = props;
  const values = choicesOf(descriptor);
  const at = (values as readonly unknown[]).indexOf(value);
  const choices = values.map((each, index) => ({ value: String(index), label: props.nameValue(each) }));
  return (
    <SelectField
      label={text.params[descriptor.name]}
      error={error}
      choice={String(at)}
      choices={at === -1 ? [{ value: '-1', label: text.choose }, ...choices] : choices}
      onChoice={(choice) => onValue(values[Number(choice)])}
    />
  );
}

export function SelectControl(props: ControlProps) {
  return <ChoiceField {...props} nameValue={labelOf} />;
}

export function VoiceControl(props: ControlProps) {
  return <ChoiceField {...props} nameValue={labelOfVoice} />;
}

export function LanguageControl(props: ControlProps) {
  const { locale } = useText();
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  const nameValue = (value: Plain) => (/^[a-z]{2,3}$/.test(String(value)) ? (names.of(String(value)) ?? '') : '');
  return <ChoiceField {...props} nameValue={(value) => nameValue(value) || labelOf(value)} />;
}

export function EffectControl(props: ControlProps) {
  const text = useText();
  return <ChoiceField {...props} nameValue={(value) => nameOf(text, `effects.${value}.name`)} />;
}

export function SwitchControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  return (
    <div className="field">
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={value === true}
          checked={value === true}
          onChange={(event) => onValue(event.target.checked)}
        />
        {text.params[descriptor.name]}
      </label>
      {error !== null && (
        <span className="error">
          <Icon name="warning" />
          {error}
        </span>
      )}
    </div>
  );
}
