import { type ReactNode, useState } from 'react';
import { cloudTroubleIn } from '../cloud-error.ts';
import { CloudTrouble } from './cloud-trouble.tsx';
import { Failure } from './notice.tsx';

type Query<T> = {
  data: T | undefined;
  error: unknown;
  isError: boolean;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
};
type Props<T> = { query: Query<T>; lines?: number; children: (data: T) => ReactNode };

/** The three states of a query: loading, failed, loaded. */
export function Loaded<T>({ query, lines = 3, children }: Props<T>) {
  const trouble = useLastError(query);
  if (query.data !== undefined) return <>{children(query.data)}</>;
  const retry = () => void query.refetch();
  // Keeps the last error, which would otherwise flicker with each retry.
  if (cloudTroubleIn(trouble)) return <CloudTrouble error={trouble} isAsking={query.isFetching} retry={retry} />;
  if (query.isError) return <Failure error={query.error} retry={retry} />;
  return <Skeleton lines={lines} />;
}

/** A query drops its previous error when it is refetched. */
function useLastError({ error, data }: Pick<Query<unknown>, 'error' | 'data'>): unknown {
  const [last, setLast] = useState<unknown>(null);
  const now = data === undefined ? (error ?? last) : null;
  if (now !== last) setLast(now);
  return now;
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div role="status" className="grid animate-pulse gap-3 p-1">
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-10 rounded-lg bg-sunken" />
      ))}
    </div>
  );
}
