import type { ReactNode } from 'react';
import { Card } from './page.tsx';

type Props = {
  /** A `wide` row spans all columns. */
  rows: [name: string, value: ReactNode, width?: 'wide'][];
  /** Several columns, each value below its name. */
  compact?: boolean;
};

/** Names and values in rows. Rows without a value are omitted. */
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
