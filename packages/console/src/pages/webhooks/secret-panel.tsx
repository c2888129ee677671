import { useEffect, useRef } from 'react';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useText } from '../../text/use-text.ts';
import { verifySamples } from '../quickstart/snippets.ts';

/** A signing secret, shown once, beside the code that uses it. */
export function SecretPanel({ title, secret, onDone }: { title: string; secret: string; onDone(): void }) {
  const { webhooks, actions } = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="panel" data-tone="accent" aria-labelledby="secret-title">
      <div className="columns" data-split="even" data-gap="small">
        <div className="once">
          <h2 id="secret-title" ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <p>{webhooks.secret.hint}</p>
          <div className="secret">
            <code>{secret}</code>
            <CopyButton value={secret} label={actions.copy} visible />
          </div>
          <div className="actions">
            <button className="button" data-size="small" type="button" onClick={onDone}>
              {webhooks.secret.done}
            </button>
          </div>
        </div>
        <Code label={webhooks.tabs.code} samples={verifySamples} tall />
      </div>
    </section>
  );
}
