import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/create-query-client.ts';
import { createConsoleRouter } from './app/router.tsx';
import { applyTheme, readTheme } from './app/theme.ts';

applyTheme(readTheme());
const queries = createQueryClient(() => {
  // The routes themselves lead to the sign-in; this is for a session that ends while a page is open.
  const { pathname, href } = router.state.location;
  if (pathname.startsWith('/accounts/')) void router.navigate({ to: '/sign-in', search: { next: href } });
});
const router = createConsoleRouter(queries);
const element = document.getElementById('root');
if (element === null) throw new Error('No root element');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
