import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiProblem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound, PageError, PagePending } from '../app/page-states.tsx';
import { readNext } from '../app/read-next.ts';
import { Root } from '../app/root.tsx';
import { DeskShell } from './desk-shell.tsx';

interface RouterContext {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: () => <Root passkeys={false} />,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readNext,
  component: lazyRouteComponent(() => import('./desk-sign-in.tsx'), 'DeskSignIn'),
});

const desk = createRoute({
  getParentRoute: () => root,
  id: 'desk',
  component: DeskShell,
  async beforeLoad({ context, location }) {
    try {
      await context.queries.ensureQueryData(sessionQuery);
    } catch (error) {
      const isOut =
        error instanceof ApiProblem && (error.code === 'sign_in_required' || error.code === 'role_required');
      if (!isOut) throw error;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
});

const page = <const P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => desk, path, component });

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  ),
  page(
    '/accounts',
    lazyRouteComponent(() => import('./accounts-page.tsx'), 'AccountsPage'),
  ),
  page(
    '/accounts/$accountId',
    lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  ),
  page(
    '/models',
    lazyRouteComponent(() => import('./models-page.tsx'), 'ModelsPage'),
  ),
  page(
    '/models/$modelId',
    lazyRouteComponent(() => import('./model-page.tsx'), 'ModelPage'),
  ),
  page(
    '/switches',
    lazyRouteComponent(() => import('./switches-page.tsx'), 'SwitchesPage'),
  ),
  page(
    '/failures',
    lazyRouteComponent(() => import('./failures-page.tsx'), 'FailuresPage'),
  ),
  page(
    '/search',
    lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
  ),
  page(
    '/books',
    lazyRouteComponent(() => import('./books-page.tsx'), 'BooksPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  ),
] as const;

export function createDeskRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, desk.addChildren([...pages])]),
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  });
}
