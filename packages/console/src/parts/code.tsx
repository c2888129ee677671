import { type ReactNode, useState } from 'react';
import { useText } from '../text/use-text.ts';
import { CopyButton } from './copy-button.tsx';
import { highlight, type Language } from './highlight.ts';
import { Tabs, useTabs } from './tabs.tsx';

export interface CodeSample {
  readonly label: string;
  readonly language: Language;
  readonly code: string;
}

function Highlighted({ code, language }: { code: string; language: Language }) {
  return (
    <code>
      {highlight(code, language).map(({ text, kind }, index) =>
        kind === null ? (
          text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity
          <span className={kind} key={index}>
            {text}
          </span>
        ),
      )}
    </code>
  );
}

/** Code in one or several languages, with a button that copies it. */
export function Code(props: { label: string; samples: readonly CodeSample[]; tall?: boolean; wrap?: boolean }) {
  const text = useText();
  const id = useTabs();
  const [current, setCurrent] = useState(props.samples[0]?.label ?? '');
  const sample = props.samples.find(({ label }) => label === current) ?? props.samples[0];
  if (sample === undefined) return null;
  const head: ReactNode =
    props.samples.length === 1 ? (
      <span>{sample.label}</span>
    ) : (
      <Tabs
        id={id}
        label={props.label}
        tabs={props.samples.map(({ label }) => ({ value: label, label }))}
        current={sample.label}
        onCurrent={setCurrent}
      />
    );
  return (
    <div className="code" data-tall={props.tall === true ? '' : undefined} data-wrap={props.wrap ? '' : undefined}>
      <div className="code-head">
        {head}
        <CopyButton value={sample.code} label={text.actions.copyCode} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre id={`${id}-panel`} tabIndex={0}>
        <Highlighted code={sample.code} language={sample.language} />
      </pre>
    </div>
  );
}
