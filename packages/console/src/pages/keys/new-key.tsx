import type { CreatedKey } from '@atelier/contract/console';
import { useEffect, useRef } from 'react';
import { useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { firstRequest } from '../quickstart/snippets.ts';

/** The moment a key exists: its secret, shown once, and the first request with it. */
export function NewKey({ created: { key, secret }, onDone }: { created: CreatedKey; onDone(): void }) {
  const text = useText();
  const format = useFormat();
  const { apiUrl } = useSession();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const once = text.keys.once;
  return (
    <section className="panel" data-tone="accent" aria-labelledby="new-key">
      <div className="columns" data-split="even" data-gap="small">
        <div className="once">
          <h2 id="new-key" ref={title} tabIndex={-1}>
            {once.title(key.name)}
          </h2>
          <p>{once.hint}</p>
          <div className="secret">
            <code>{secret}</code>
            <CopyButton value={secret} label={text.actions.copy} visible />
          </div>
          <ul className="badges">
            {key.scopes.map((scope) => (
              <li className="badge" key={scope}>
                {scope}
              </li>
            ))}
            {key.monthlySpendCapCoins !== null && (
              <li className="badge">{once.cap(format.number(key.monthlySpendCapCoins))}</li>
            )}
            {key.requestCapCoins !== null && (
              <li className="badge">{once.requestCap(format.number(key.requestCapCoins))}</li>
            )}
            {key.expiresAt !== null && <li className="badge">{once.expires(format.day(key.expiresAt))}</li>}
          </ul>
          <div className="actions">
            <button className="button" data-size="small" type="button" onClick={onDone}>
              {once.done}
            </button>
          </div>
        </div>
        <Code label={text.snippets.language} samples={firstRequest({ apiUrl, key: secret })} />
      </div>
    </section>
  );
}
