import type { Asset } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readFile } from '../../api/read-file.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Tabs, useTabs } from '../../parts/tabs.tsx';
import { useText } from '../../text/use-text.ts';
import { parseVtt } from './subtitles.ts';

const MAX_BYTES = 2_000_000;

/** The text of a file. A file never changes; only its link does. */
const textQuery = (key: readonly string[], url: string | null) => ({
  queryKey: ['file', ...key],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await readFile(url!, { maxBytes: MAX_BYTES, signal })).bytes.text(),
  enabled: url !== null,
  staleTime: Number.POSITIVE_INFINITY,
});

type View = 'text' | 'subtitles';

/** A transcript, with its subtitles and their times. */
export function TextOutput({ output }: { output: Asset }) {
  const text = useText().generations.detail;
  const id = useTabs();
  const [view, setView] = useState<View>('text');
  const vttUrl = output.subtitles?.vttUrl ?? null;
  const words = useQuery(textQuery([output.id], output.url));
  const subtitles = useQuery(textQuery([output.id, 'vtt'], vttUrl));
  const error = view === 'text' ? words.error : subtitles.error;
  const shown = view === 'text' ? words.data : subtitles.data;
  return (
    <div className="text-output">
      <div className="inline">
        {vttUrl !== null && (
          <Tabs<View>
            id={id}
            label={text.format}
            tabs={[
              { value: 'text', label: text.text },
              { value: 'subtitles', label: text.subtitles },
            ]}
            current={view}
            onCurrent={setView}
          />
        )}
        {words.data !== undefined && <CopyButton value={words.data} label={text.copyText} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div id={`${id}-panel`} {...panelProps(vttUrl === null ? null : `${id}-${view}`, text.text)} tabIndex={0}>
        {error !== null && <ProblemNotice error={error} />}
        {error === null && shown === undefined && <span className="skeleton" data-width="long" />}
        {shown !== undefined && (view === 'text' ? <p className="transcript">{shown.trim()}</p> : <Cues vtt={shown} />)}
      </div>
    </div>
  );
}

const panelProps = (tab: string | null, label: string) =>
  tab === null ? { role: 'region', 'aria-label': label } : { role: 'tabpanel', 'aria-labelledby': tab };

function Cues({ vtt }: { vtt: string }) {
  const text = useText().generations.detail;
  return (
    <table className="table" data-density="tight">
      <caption className="hidden">{text.subtitles}</caption>
      <thead className="hidden">
        <tr>
          <th>{text.from}</th>
          <th>{text.to}</th>
          <th>{text.text}</th>
        </tr>
      </thead>
      <tbody>
        {parseVtt(vtt).map((cue, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cues never move
          <tr key={at}>
            <td className="number quiet">{cue.from}</td>
            <td className="number quiet">{cue.to}</td>
            <td>{cue.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
