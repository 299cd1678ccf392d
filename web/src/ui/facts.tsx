import type { ReactNode } from 'react';
import { Card } from './page.tsx';

/** Names and values, one below the other. Those without a value are left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <Card className="p-5">
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-[auto_1fr] sm:gap-y-2.5">
        {rows
          .filter(([, value]) => Boolean(value))
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-sm text-muted sm:pt-px">{name}</dt>
              <dd className="mb-2 min-w-0 [overflow-wrap:anywhere] sm:mb-0">{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
  );
}
