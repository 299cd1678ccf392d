import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { connectionQuery } from '../api.ts';

const ConnectionMessage = lazy(() => import('./connection-message.tsx'));

/** Shown on every page that is opened over plain HTTP because the dashboard has no certificate yet. */
export function ConnectionNotice({ className }: { className: string }) {
  const { data } = useQuery(connectionQuery);
  if (!data) return null;
  return (
    <div className={className}>
      <Suspense>
        <ConnectionMessage state={data} />
      </Suspense>
    </div>
  );
}
