import './theme.ts';
import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries.ts';
import { toSignIn } from './paths.ts';
import { createAppRouter } from './routes.tsx';
import { forgetPerson } from './session.ts';
import { ToastProvider } from './ui/toast.tsx';

const queries = createQueries({ onSessionOver });
const router = createAppRouter(queries);
let leaving = false;

/** Several requests may fail at once; only the first one redirects. */
async function onSessionOver(): Promise<void> {
  const isInside = router.state.matches.some(({ routeId }) => routeId === '/signed-in');
  if (leaving || !isInside) return;
  leaving = true;
  await router.navigate(toSignIn(router.state.location.href, true));
  forgetPerson(queries);
  leaving = false;
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
