import { buildSidebar } from './navigation.ts';
import { type Page, rewriteLinks, SITE_PATH } from './pages.ts';

const SUMMARY = `> Self-hosted platform for paid media generation: one HTTP API for image, video, audio and 3D. List models, get an exact
> price in coins, submit once and only once, follow by polling, events or webhooks, download through short-lived links.`;

/** Left out of the long document: they repeat what the pages before them say. */
const ONLY_LISTED = /^(problems|decisions|changelog|contribute)(\/|$)/;

const markdownUrl = ({ id }: Page): string => `${SITE_PATH}/${id === '' ? 'index' : id}.md`;

function inOrder(pages: readonly Page[]): { label: string; pages: Page[] }[] {
  const byId = new Map(pages.map((page) => [page.id, page]));
  return [
    { label: 'Home', pages: [byId.get('') as Page] },
    ...buildSidebar([...byId.keys()]).map(({ label, items }) => ({
      label,
      pages: items.map(({ slug }) => byId.get(slug) as Page),
    })),
  ];
}

/** The list of all pages as Markdown, in the form of llmstxt.org. */
export function renderLlmsIndex(pages: readonly Page[]): string {
  const sections = inOrder(pages).map(
    (group) =>
      `## ${group.label}\n\n${group.pages
        .map(
          (page) => `- [${page.title}](${markdownUrl(page)})${page.description === '' ? '' : `: ${page.description}`}`,
        )
        .join('\n')}`,
  );
  return `# Atelier\n\n${SUMMARY}\n\nAll pages in one file: ${SITE_PATH}/llms-full.txt\n\n${sections.join('\n\n')}\n`;
}

/** All pages in one document. */
export function renderLlmsFull(pages: readonly Page[]): string {
  const texts = inOrder(pages)
    .flatMap((group) => group.pages)
    .filter(({ id }) => !ONLY_LISTED.test(id))
    .map((page) => renderMarkdownPage(page));
  return `# Atelier\n\n${SUMMARY}\n\n${texts.join('\n---\n\n')}`;
}

export const renderMarkdownPage = (page: Page): string => `# ${page.title}\n\n${rewriteLinks(page.body, page.source)}`;
