import { renderFence } from './pages.ts';
import { type Fence, splitFences } from './read-fences.ts';

/** Languages whose adjacent blocks show the same request. */
const LABELS: Readonly<Record<string, string>> = { bash: 'curl', ts: 'TypeScript', python: 'Python', sh: 'Shell' };
const TABBED = ['bash', 'ts', 'python'];

/**
 * Puts blocks in different languages that follow each other into tabs. On GitHub they are read one after the other. A tab
 * list has the languages in the order of the document.
 */
export function groupTabs(markdown: string): string {
  const out: string[] = [];
  let group: Fence[] = [];
  const flush = () => {
    out.push(...(group.length > 1 ? [renderTabs(group)] : group.map(renderFence)));
    group = [];
  };
  for (const part of splitFences(markdown)) {
    if (part.kind === 'fence') {
      if (!TABBED.includes(part.language) || group.some(({ language }) => language === part.language)) flush();
      group.push(part);
      if (!TABBED.includes(part.language)) flush();
    } else if (part.text.trim() !== '') {
      flush();
      out.push(part.text);
    } else if (group.length === 0) out.push(part.text);
  }
  flush();
  return out.join('\n');
}

function renderTabs(fences: readonly Fence[]): string {
  const buttons = fences.map(
    ({ language }, n) =>
      `<button type="button" role="tab" data-language="${language}" aria-selected="${n === 0}">${LABELS[language]}</button>`,
  );
  const panels = fences.map(
    (fence, n) =>
      `<div role="tabpanel" data-language="${fence.language}"${n === 0 ? '' : ' data-later'}>\n\n${renderFence(fence)}\n\n</div>`,
  );
  return `\n<code-tabs>\n<div role="tablist" aria-label="Language">${buttons.join('')}</div>\n${panels.join('\n')}\n</code-tabs>\n`;
}
