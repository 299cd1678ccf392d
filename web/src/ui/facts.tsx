import type { ReactNode } from 'react';
import { Card } from './page.tsx';

type Props = {
  /** A `wide` one has a row of its own where several are beside each other. */
  rows: [name: string, value: ReactNode, width?: 'wide'][];
  /** Several beside each other, each below its name. */
  compact?: boolean;
};

/** Names and values, one below the other. Those without a value are left out. */
export function Facts({ rows, compact }: Props) {
  const layout = compact
    ? 'grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3'
    : 'grid gap-x-8 gap-y-1 sm:grid-cols-[auto_1fr] sm:gap-y-2.5';
  return (
    <Card className="p-5">
      <dl className={layout}>
        {rows
          .filter(([, value]) => Boolean(value))
          .map(([name, value, width]) => (
            <div key={name} className={compact ? `min-w-0 ${width ? 'col-span-full' : ''}` : 'contents'}>
              <dt className="text-sm text-muted sm:pt-px">{name}</dt>
              <dd className={`min-w-0 [overflow-wrap:anywhere] ${compact ? '' : 'mb-2 sm:mb-0'}`}>{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
  );
}
