import type { ReactNode } from 'react';

const kinds = {
  plain: 'bg-sunken text-muted ring-1 ring-line ring-inset',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
};

export function Badge({ kind = 'plain', children }: { kind?: keyof typeof kinds; children: ReactNode }) {
  return (
    <span
      className={`inline-flex max-w-full items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${kinds[kind]}`}
    >
      <span className="truncate">{children}</span>
    </span>
  );
}
