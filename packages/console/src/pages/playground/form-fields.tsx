import { type ParamDescriptor, type ParamName, type ParamValue, UI_GROUPS } from '@atelier/contract';
import { type ReactNode, useState } from 'react';
import type { Text } from '../../text/en.ts';
import { useText } from '../../text/use-text.ts';
import { useForm } from './controls/control.ts';
import { CONTROLS } from './controls/controls.ts';
import type { Hint } from './form-state.ts';

export function describeHint(text: Text, hint: Hint): string {
  const { hints } = text.playground;
  switch (hint.kind) {
    case 'required':
      return hints.required;
    case 'notInRange':
      return hints.notInRange(hint.min, hint.max);
    default:
      return hints[hint.kind](hint.limit);
  }
}

function FieldOf(props: { descriptor: ParamDescriptor; error: string | null }) {
  const { values, setValue } = useForm();
  const { descriptor, error } = props;
  const Control = CONTROLS[descriptor.ui.control];
  return (
    <Control
      descriptor={descriptor}
      value={values[descriptor.name]}
      error={error}
      onValue={(value: ParamValue | undefined) => setValue(descriptor.name, value)}
    />
  );
}

/** The fields in their groups. What few people need is folded, unless something is wrong in it. */
export function FormFields({ errors }: { errors: ReadonlyMap<ParamName, string> }) {
  const { descriptors } = useForm();
  return UI_GROUPS.map((group) => {
    const own = descriptors.filter(({ ui }) => ui.group === group);
    if (own.length === 0) return null;
    const fields = own.map((descriptor) => (
      <FieldOf key={descriptor.name} descriptor={descriptor} error={errors.get(descriptor.name) ?? null} />
    ));
    if (group !== 'advanced') return fields;
    return (
      <Folded key={group} hasErrors={own.some(({ name }) => errors.has(name))}>
        {fields}
      </Folded>
    );
  });
}

/** Opens for an error, and stays open when it is corrected. */
function Folded({ hasErrors, children }: { hasErrors: boolean; children: ReactNode }) {
  const text = useText().playground;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details open={isOpen || hasErrors} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{text.advanced}</summary>
      <div className="stack">{children}</div>
    </details>
  );
}
