import type { ReactNode } from 'react';

type Props = { title: string; lead?: ReactNode; action?: ReactNode; tabs?: ReactNode; children: ReactNode };

/** The frame of a page: title, lead, main action. */
export function Page({ title, lead, action, tabs, children }: Props) {
  return (
    <>
      <title>{`${title} · Mooring`}</title>
      <header className={`flex ${tabs ? 'mb-3' : 'mb-7'} flex-wrap items-start justify-between gap-x-6 gap-y-4`}>
        <div className="min-w-0 max-w-2xl">
          <h1 className="text-2xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
          {lead && <p className="mt-1 text-muted">{lead}</p>}
        </div>
        {action}
      </header>
      {tabs && <div className="mb-7">{tabs}</div>}
      <div className="grid grid-cols-1 gap-8">{children}</div>
    </>
  );
}

export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold">{title}</h2>
        {aside && <div className="text-sm text-muted">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-xl border border-line bg-surface shadow-card ${className}`}>{children}</div>;
}
