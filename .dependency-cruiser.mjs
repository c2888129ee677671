/**
 * The direction of imports, as data. A row names an area and what else of ours it may import; itself it may always import.
 * Everything of ours that a row does not name is refused. Tests may import what they test and what they need.
 */
const server = (path) => `^packages/server/src/${path}`;
const domain = (module) => server(`domain/${module}/`);

const contract = '^packages/contract/';
const engines = '^packages/engines/';
const platform = server('platform/');
const confine = server('confine/');
const media = server('media/');
/** What the others see of safety: the classifiers run in a confined child. */
const safety = server('safety/[^/]+\\.ts$');
const classifiers = server('safety/classifiers/');
const providers = server('providers/');
/** What the providers and the domain share: the port, and which engines need consent. */
const providerPort = server('providers/(provider|uses-likeness)\\.ts$');
const queue = server('queue/');
const entry = server('entry/');
const http = server('http/');
const jobs = server('jobs/');
const cdn = server('cdn/');
const identity = server('identity/');
/** How the console's listener asks who is signed in: types alone. */
const identityPort = server('http/console/identity\\.ts$');
/** The drivers of payments: they implement the port, and check signatures as receivers of our webhooks do. */
const payments = server('payments/');
const paymentPort = server('domain/payments/payments\\.ts$');
const verifySignature = server('domain/webhooks/signatures/verify-signature\\.ts$');
const everyDomain = server('domain/');
/** The record of what operations may ask for: types alone, so it may name what the modules must not import. */
const services = server('domain/services\\.ts$');

/** Who asks: every operation is told, so every module may name it. */
const caller = server('domain/accounts/caller\\.ts$');

/** What a domain module may use below the domain. Of the queue it knows the jobs table and how to enqueue. */
const below = [server('queue/(enqueue|queues)\\.ts$'), providerPort, safety, media, platform, contract];

/** The order of the domain modules: who may import whom. */
const modules = {
  accounts: ['ledger', 'operator'],
  assets: ['operator'],
  budgets: ['webhooks', 'people', 'ledger', 'operator'],
  catalog: [],
  // The terminal transaction writes events in SQL; in code they only read generations to render them.
  events: ['generations'],
  exports: ['assets'],
  generations: ['quotes', 'catalog', 'ledger', 'assets', 'accounts', 'operator'],
  ledger: ['operator'],
  moves: ['assets', 'payments', 'ledger', 'operator'],
  operator: [],
  payments: ['accounts', 'ledger', 'operator'],
  people: ['accounts', 'operator'],
  quotes: ['catalog', 'assets', 'accounts', 'operator'],
  webhooks: ['generations', 'events', 'people', 'operator'],
};

const areas = [
  { name: 'contract', is: contract, may: [] },
  { name: 'engines', is: engines, may: [contract] },
  { name: 'platform', is: platform, may: [contract] },
  { name: 'confine', is: confine, may: [platform, contract] },
  { name: 'media', is: media, may: [confine, platform, contract] },
  { name: 'queue', is: queue, may: [platform, contract] },
  // Only what the worker alone loads may import the engines: an API or cdn process runs without that package.
  { name: 'safety', is: server('safety/(?!classifiers/)'), may: [platform, contract] },
  { name: 'safety-classifiers', is: classifiers, may: [safety, engines, platform, contract] },
  { name: 'providers', is: server('providers/(?!local/)'), may: [media, confine, platform, contract] },
  {
    name: 'providers-local',
    is: server('providers/local/'),
    may: [providerPort, classifiers, engines, confine, platform, contract],
  },
  ...Object.entries(modules).map(([name, others]) => ({
    name: `domain-${name}`,
    is: domain(name),
    may: [...others.map(domain), services, caller, ...below],
  })),
  { name: 'domain-services', is: services, may: [everyDomain, server('queue/wake\\.ts$'), ...below] },
  { name: 'identity', is: identity, may: [identityPort, everyDomain, platform, contract] },
  { name: 'payments', is: payments, may: [paymentPort, verifySignature, platform, contract] },
  { name: 'http', is: http, may: [everyDomain, media, platform, contract] },
  { name: 'jobs', is: jobs, may: [everyDomain, queue, providers, media, platform, contract] },
  { name: 'cdn', is: cdn, may: [everyDomain, platform, contract] },
  {
    name: 'entry',
    is: entry,
    may: [
      http,
      identity,
      payments,
      jobs,
      cdn,
      everyDomain,
      queue,
      providers,
      safety,
      engines,
      media,
      confine,
      platform,
      contract,
    ],
  },
  { name: 'main', is: server('main\\.ts$'), may: [entry] },
  { name: 'console', is: '^packages/console/', may: [contract] },
  { name: 'sdk', is: '^packages/sdk/', may: [] },
  { name: 'cli', is: '^packages/cli/', may: ['^packages/sdk/'] },
  { name: 'ai-sdk-provider', is: '^packages/ai-sdk-provider/', may: ['^packages/sdk/'] },
  // What a user would write: the published packages alone.
  { name: 'examples', is: '^examples/', may: ['^packages/(sdk|ai-sdk-provider)/src/(index|webhooks)\\.ts$'] },
];

const OURS = '^(packages|scripts|test|bench|chaos|e2e|examples)/';
/** Tests and what only they use. */
const TESTS = '(\\.test\\.ts$|/testing/)';
const STORE = '\\.store\\.ts$';
const MODULE_OF = server('domain/([^/]+)/');

const named = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    named('no-cycles', 'An import cycle has no beginning to read from.', {}, { circular: true }),
    named('resolvable', 'The import leads nowhere.', {}, { couldNotResolve: true }),
    ...areas.map(({ name, is, may }) =>
      named(
        `direction-${name}`,
        `${name} imports only what its row in .dependency-cruiser.mjs names.`,
        { path: is, pathNot: TESTS },
        { path: OURS, pathNot: [is, ...may] },
      ),
    ),
    named(
      'engine-folders',
      'What an engine shares with others is in image/, audio/, mesh/ or ffmpeg/ of the engines.',
      { path: `${engines}src/([^/]+)/`, pathNot: TESTS },
      { path: `${engines}src/[^/]+/`, pathNot: [`${engines}src/$1/`, `${engines}src/(image|audio|mesh|ffmpeg)/`] },
    ),
    named(
      'domain-module-in-table',
      'A domain module needs a row in the order of modules.',
      { path: everyDomain, pathNot: [TESTS, services, ...Object.keys(modules).map(domain)] },
      { path: OURS },
    ),
    named(
      'domain-knows-no-entry-point',
      'The domain knows neither the HTTP framework nor the library of the queue.',
      { path: everyDomain, pathNot: TESTS },
      { path: 'node_modules/(fastify|@fastify/[^/]+|pg-boss)/' },
    ),
    named(
      'traces-behind-port',
      'Only the implementation of traces knows their library; everything else uses platform/tracing.ts.',
      { path: server(''), pathNot: [TESTS, server('platform/otlp-tracing\\.ts$')] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    named(
      'store-is-private',
      'A store belongs to its module: call an operation of that module instead.',
      { path: MODULE_OF, pathNot: TESTS },
      { path: `${everyDomain}.*${STORE}`, pathNot: server('domain/$1/') },
    ),
    named(
      'store-behind-operations',
      'Nothing outside the domain touches a store.',
      // A measurement runs the bare statement beside the whole.
      { pathNot: [everyDomain, TESTS, '^bench/'] },
      { path: `${everyDomain}.*${STORE}` },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^test/planted/', '^packages/[^/]+/dist(-desk)?/', '\\.json$'] },
    // An import of a type alone is a dependency too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
