import type { ReactNode } from 'react';
import { useSeconds } from './seconds.ts';
import { Spinner } from './spinner.tsx';

/** A running operation with the elapsed time. The parent has to be a status region. */
export function Waiting({ children }: { children: ReactNode }) {
  const seconds = useSeconds();
  return (
    <span className="flex items-center gap-2 text-sm text-muted">
      <Spinner size={15} />
      <span className="min-w-0">
        {children}{' '}
        <span aria-hidden="true" className="whitespace-nowrap tabular-nums">
          {seconds} s
        </span>
      </span>
    </span>
  );
}
