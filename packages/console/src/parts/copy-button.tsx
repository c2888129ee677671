import { useEffect, useState } from 'react';
import { useText } from '../text/use-text.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2_000;

/** Copies a text. Without a visible label it is an icon, named by `label`. */
export function CopyButton({ value, label, visible }: { value: string; label: string; visible?: boolean }) {
  const text = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  const icon = <Icon name={copied ? 'check' : 'copy'} />;
  const announced = (
    <span className="hidden" role="status">
      {copied ? text.actions.copied : ''}
    </span>
  );
  return visible === true ? (
    <>
      <button className="button" data-kind="primary" data-size="small" type="button" onClick={() => void copy()}>
        {icon}
        {copied ? text.actions.copied : label}
      </button>
      {announced}
    </>
  ) : (
    <button
      className="button"
      data-kind="plain"
      data-shape="icon"
      type="button"
      aria-label={label}
      onClick={() => void copy()}
    >
      {icon}
      {announced}
    </button>
  );
}
