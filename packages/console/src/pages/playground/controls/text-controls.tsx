import { AreaField, TextField } from '../../../parts/field.tsx';
import { useText } from '../../../text/use-text.ts';
import { countCharacters } from '../form-state.ts';
import type { ControlProps } from './control.ts';

function useTextProps({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  const written = typeof value === 'string' ? value : '';
  return {
    label: text.params[descriptor.name],
    error,
    text: written,
    onText: (next: string) => onValue(next),
    required: descriptor.required,
    ...(descriptor.kind === 'text' ? { value: text.length(countCharacters(written), descriptor.maxLength) } : {}),
  };
}

/** What to make, in words: the first thing that people fill in. */
export function PromptControl(props: ControlProps) {
  const text = useText().playground;
  return <AreaField {...useTextProps(props)} rows={4} data-size="prompt" placeholder={text.promptPlaceholder} />;
}

export function TextareaControl(props: ControlProps) {
  return <AreaField {...useTextProps(props)} rows={3} />;
}

/** A text that is read aloud. */
export function ScriptControl(props: ControlProps) {
  const text = useText().playground;
  return <AreaField {...useTextProps(props)} rows={6} data-size="prompt" placeholder={text.scriptPlaceholder} />;
}

export function LyricsControl(props: ControlProps) {
  const text = useText().playground;
  return <AreaField {...useTextProps(props)} rows={6} placeholder={text.lyricsPlaceholder} />;
}

export function TagsControl(props: ControlProps) {
  const text = useText().playground;
  return <TextField {...useTextProps(props)} hint={text.tagsHint} />;
}
