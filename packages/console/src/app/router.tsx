import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { ApiProblem } from '../api/problem.ts';
import { findAccount, sessionQuery } from '../api/session.ts';
import { readFilters } from '../pages/generations/read-filters.ts';
import { readPlaygroundSearch } from '../pages/playground/share-link.ts';
import { readLastAccount } from './last-account.ts';
import { NoAccount, NotFound, PageError, PagePending } from './page-states.tsx';
import { readNext } from './read-next.ts';
import { Root } from './root.tsx';
import { Shell } from './shell.tsx';

interface RouterContext {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Root, notFoundComponent: NotFound });

/** The session, or the sign-in page if there is none. */
async function requireSession({ context, location }: { context: RouterContext; location: { href: string } }) {
  try {
    return await context.queries.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'sign_in_required') throw error;
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
  }
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: NoAccount,
  async beforeLoad(options) {
    const session = await requireSession(options);
    const last = readLastAccount();
    const accountId = (last && findAccount(session, last)?.id) ?? session.memberships[0]?.accountIds.live;
    if (accountId !== undefined) throw redirect({ to: '/accounts/$accountId/playground', params: { accountId } });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string; error?: string } => ({
    ...readNext(search),
    ...(typeof search.error === 'string' ? { error: search.error } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: (search): { next?: string; invitation?: string } => ({
    ...readNext(search),
    ...(typeof search.invitation === 'string' ? { invitation: search.invitation } : {}),
  }),
  async beforeLoad({ context, search }) {
    if (search.invitation === undefined) return;
    const session = await context.queries.ensureQueryData(sessionQuery).catch(() => null);
    if (session !== null) throw redirect({ to: '/invitation', search: { token: search.invitation } });
  },
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-up-page.tsx'), 'SignUpPage'),
});
const verified = createRoute({
  getParentRoute: () => root,
  path: '/verified',
  validateSearch: (search): { error?: string } => (typeof search.error === 'string' ? { error: search.error } : {}),
  component: lazyRouteComponent(() => import('../pages/sign-in/verified-page.tsx'), 'VerifiedPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: (search): { token?: string } => (typeof search.token === 'string' ? { token: search.token } : {}),
  component: lazyRouteComponent(() => import('../pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../pages/sign-in/password-pages.tsx'), 'ForgotPasswordPage'),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: (search): { token?: string } => (typeof search.token === 'string' ? { token: search.token } : {}),
  component: lazyRouteComponent(() => import('../pages/sign-in/password-pages.tsx'), 'ResetPasswordPage'),
});
/** Programs send people here with the parameters of OAuth. The page reads them as text, and so must the way back from the sign-in. */
const authorize = createRoute({
  getParentRoute: () => root,
  path: '/authorize',
  beforeLoad: ({ context }) =>
    requireSession({ context, location: { href: `/authorize${window.location.search}` } }).then(() => {}),
  component: lazyRouteComponent(() => import('../pages/authorize/authorize-page.tsx'), 'AuthorizePage'),
});

const pair = createRoute({
  getParentRoute: () => root,
  path: '/pair',
  beforeLoad: async (options) => void (await requireSession(options)),
  component: lazyRouteComponent(() => import('../pages/pair/pair-page.tsx'), 'PairPage'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/accounts/$accountId',
  component: Shell,
  async beforeLoad(options) {
    const session = await requireSession(options);
    if (findAccount(session, options.params.accountId) === null) throw notFound();
  },
});

const inAccount = <const P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => account, path, component });

const accountPages = [
  inAccount(
    '/keys',
    lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
  inAccount(
    '/quickstart',
    lazyRouteComponent(() => import('../pages/quickstart/quickstart-page.tsx'), 'QuickstartPage'),
  ),
  inAccount(
    '/webhooks',
    lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  ),
  inAccount(
    '/webhooks/$endpointId',
    lazyRouteComponent(() => import('../pages/webhooks/endpoint-page.tsx'), 'EndpointPage'),
  ),
  inAccount(
    '/events',
    lazyRouteComponent(() => import('../pages/events/events-page.tsx'), 'EventsPage'),
  ),
  createRoute({
    getParentRoute: () => account,
    path: '/playground',
    validateSearch: readPlaygroundSearch,
    component: lazyRouteComponent(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/generations',
    validateSearch: readFilters,
    component: lazyRouteComponent(() => import('../pages/generations/generations-page.tsx'), 'GenerationsPage'),
  }),
  inAccount(
    '/generations/$generationId',
    lazyRouteComponent(() => import('../pages/generations/generation-page.tsx'), 'GenerationPage'),
  ),
  inAccount(
    '/usage',
    lazyRouteComponent(() => import('../pages/money/usage-page.tsx'), 'UsagePage'),
  ),
  inAccount(
    '/budgets',
    lazyRouteComponent(() => import('../pages/money/budgets-page.tsx'), 'BudgetsPage'),
  ),
  inAccount(
    '/ledger',
    lazyRouteComponent(() => import('../pages/money/ledger-page.tsx'), 'LedgerPage'),
  ),
  inAccount(
    '/checkouts/$checkoutId',
    lazyRouteComponent(() => import('../pages/money/checkout-page.tsx'), 'CheckoutPage'),
  ),
  inAccount(
    '/members',
    lazyRouteComponent(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
  ),
  inAccount(
    '/settings',
    lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  ),
  inAccount(
    '/security',
    lazyRouteComponent(() => import('../pages/security/security-page.tsx'), 'SecurityPage'),
  ),
] as const;

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      signIn,
      signUp,
      verified,
      invitation,
      forgot,
      reset,
      authorize,
      pair,
      account.addChildren([...accountPages]),
    ]),
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
