import type { ParamName } from '@atelier/contract';
import { Field } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useFormat } from '../../../parts/use-format.ts';
import { useText } from '../../../text/use-text.ts';
import type { ControlProps } from './control.ts';

const UNITS: { readonly [K in ParamName]?: string } = {
  duration: ' s',
  fps: ' fps',
  upscale_factor: '×',
  speed: '×',
};

export function SliderControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  const format = useFormat();
  if (descriptor.kind !== 'range') return null;
  const { min, max, step, name } = descriptor;
  const shown = typeof value === 'number' ? value : min;
  return (
    <Field
      label={text.params[name]}
      error={error}
      value={value === undefined ? text.byModel : `${format.number(shown)}${UNITS[name] ?? ''}`}
    >
      {(tied) => (
        <input
          {...tied}
          className="slider"
          type="range"
          min={min}
          max={max}
          step={step}
          value={shown}
          onChange={(event) => onValue(Number(event.target.value))}
        />
      )}
    </Field>
  );
}

/** A seed is a whole number. Other text stays as it is, so that the field can say what is wrong with it. */
export function readSeed(text: string): number | undefined {
  const digits = text.trim();
  return digits === '' ? undefined : Number(digits);
}

export function SeedControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  if (descriptor.kind !== 'seed') return null;
  const { max } = descriptor;
  const random = () => onValue(Math.floor(Math.random() * Math.min(max, 2 ** 31)));
  return (
    <Field label={text.params[descriptor.name]} error={error} value={text.seedHint}>
      {(tied) => (
        <div className="with-button">
          <input
            {...tied}
            className="input mono"
            inputMode="numeric"
            autoComplete="off"
            value={typeof value === 'number' && !Number.isNaN(value) ? String(value) : ''}
            onChange={(event) => {
              const seed = readSeed(event.target.value);
              if (!Number.isNaN(seed)) onValue(seed);
            }}
          />
          <button className="button" type="button" aria-label={text.randomSeed} onClick={random}>
            <Icon name="dice" />
          </button>
        </div>
      )}
    </Field>
  );
}
