import type { ReactNode } from 'react';
import { useSeconds } from './seconds.ts';
import { Spinner } from './spinner.tsx';

/** Something that takes a while, with how long it has been. What is around it says that it is a status. */
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
