import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/create-query-client.ts';
import { createConsoleRouter } from './app/router.tsx';
import { applyTheme, readTheme } from './app/theme.ts';

applyTheme(readTheme());
const queries = createQueryClient();
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
