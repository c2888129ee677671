export interface NavigationGroup {
  readonly label: string;
  /** Ids of pages in order; a label where the title of the page is too long. */
  readonly pages: readonly (string | { readonly id: string; readonly label: string })[];
  readonly collapsed?: true;
  /** All other pages below this folder follow, in the order of their names. */
  readonly rest?: string;
}

/** What the sidebar shows. A test compares it with the pages. */
export const navigation: readonly NavigationGroup[] = [
  { label: 'Start', pages: ['quickstart', 'gallery', { id: 'console', label: 'Console' }, 'comparison'] },
  {
    label: 'Guides',
    pages: [
      'pricing',
      'idempotency',
      'waiting',
      'webhooks',
      'uploads',
      'effects',
      'errors',
      'rate-limits',
      'test-mode',
      'mcp',
      'openai',
    ],
  },
  { label: 'API reference', pages: [{ id: 'api', label: 'Overview' }], rest: 'api' },
  {
    label: 'Clients',
    pages: [
      { id: 'clients/typescript', label: 'TypeScript' },
      { id: 'clients/typescript-reference', label: 'TypeScript reference' },
      { id: 'clients/python', label: 'Python' },
      { id: 'clients/python-reference', label: 'Python reference' },
      { id: 'clients/cli', label: 'Command line' },
      { id: 'clients/cli-reference', label: 'Command line reference' },
      { id: 'clients/ai-sdk', label: 'AI SDK' },
    ],
  },
  { label: 'Examples', pages: [{ id: 'examples', label: 'Overview' }], rest: 'examples', collapsed: true },
  { label: 'How it works', pages: [{ id: 'how-it-works', label: 'Overview' }], rest: 'how-it-works' },
  {
    label: 'Operate',
    pages: [
      { id: 'operate', label: 'Install' },
      { id: 'operate/containers', label: 'Install with containers' },
      { id: 'operate/kubernetes', label: 'Install on Kubernetes' },
      'operate/configuration',
      { id: 'operate/catalog', label: 'Models and prices' },
      { id: 'operate/engines', label: 'Engines on CPUs' },
      { id: 'operate/backends', label: 'Providers' },
    ],
    rest: 'operate',
  },
  { label: 'Runbooks', pages: [], rest: 'operate/runbooks', collapsed: true },
  { label: 'Problems', pages: [{ id: 'problems', label: 'All problems' }], rest: 'problems', collapsed: true },
  { label: 'Decisions', pages: [{ id: 'decisions', label: 'All decisions' }], rest: 'decisions', collapsed: true },
  {
    label: 'Contribute',
    pages: ['contribute', 'contribute/engines', 'contribute/security', 'changelog'],
    collapsed: true,
  },
];

interface SidebarPage {
  readonly slug: string;
  readonly label?: string;
}

export interface SidebarGroup {
  readonly label: string;
  readonly collapsed: boolean;
  readonly items: SidebarPage[];
}

/** The longest folder of the navigation that a page is in; an overview is in its own. */
function folderOf(id: string): string | undefined {
  const folders = navigation.flatMap(({ rest }) => (rest === undefined ? [] : [rest]));
  return folders.filter((folder) => `${id}/`.startsWith(`${folder}/`)).toSorted((a, b) => b.length - a.length)[0];
}

/** The sidebar for these pages. Throws if a page would be missing or twice. */
export function buildSidebar(ids: readonly string[]): SidebarGroup[] {
  const named = navigation.flatMap(({ pages }) => pages.map((page) => (typeof page === 'string' ? page : page.id)));
  const groups = navigation.map(({ label, pages, rest, collapsed }) => {
    const first = pages.map((page) =>
      typeof page === 'string' ? { slug: page } : { slug: page.id, label: page.label },
    );
    const others = rest === undefined ? [] : ids.filter((id) => folderOf(id) === rest && !named.includes(id));
    return {
      label,
      collapsed: collapsed ?? false,
      items: [...first, ...others.toSorted().map((slug) => ({ slug }))],
    };
  });
  const filled = groups.filter(({ items }) => items.length > 0);
  const shown = filled.flatMap(({ items }) => items.map(({ slug }) => slug));
  const wrong = [
    ...shown.filter((slug, n) => shown.indexOf(slug) !== n).map((slug) => `${slug} is twice in the navigation`),
    ...shown.filter((slug) => !ids.includes(slug)).map((slug) => `${slug} is in the navigation but has no page`),
    ...ids.filter((id) => id !== '' && !shown.includes(id)).map((id) => `${id} is not in the navigation`),
  ];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return filled;
}
