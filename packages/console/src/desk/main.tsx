import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../app/create-query-client.ts';
import { applyTheme, readTheme } from '../app/theme.ts';
import { createDeskRouter } from './router.tsx';

applyTheme(readTheme());
const queries = createQueryClient(() => {
  // The routes themselves lead to the sign-in; this is for a session that ends while a page is open.
  const { pathname } = router.state.location;
  if (pathname !== '/sign-in') router.history.push(`/sign-in?next=${encodeURIComponent(pathname)}`);
});
const router = createDeskRouter(queries);
const element = document.getElementById('root');
if (element === null) throw new Error('No root element');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </StrictMode>,
);
