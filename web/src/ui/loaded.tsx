import type { ReactNode } from 'react';
import { cloudTroubleIn } from '../cloud-queries.ts';
import { CloudTrouble } from './cloud-trouble.tsx';
import { Failure } from './notice.tsx';

type Query<T> = { data: T | undefined; error: unknown; isError: boolean; refetch: () => Promise<unknown> };
type Props<T> = { query: Query<T>; lines?: number; children: (data: T) => ReactNode };

/** The three states of anything that is asked for: not there yet, failed, there. */
export function Loaded<T>({ query, lines = 3, children }: Props<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  const retry = () => void query.refetch();
  if (query.isError && cloudTroubleIn(query.error)) return <CloudTrouble error={query.error} retry={retry} />;
  if (query.isError) return <Failure error={query.error} retry={retry} />;
  return <Skeleton lines={lines} />;
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
