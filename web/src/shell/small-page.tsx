import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.tsx';
import { ThemeToggle } from '../ui/theme-toggle.tsx';
import { ConnectionNotice } from './connection-notice.tsx';

/** A page with one card, for everything before the dashboard: sign-in, setup, invitation and reset links. */
export function SmallPage({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-hidden">
      <title>{`${title} · Mooring`}</title>
      <Water />
      <header className="flex items-center justify-between px-5 py-5 sm:px-8">
        <Logo />
        <ThemeToggle />
      </header>
      <main className="mx-auto grid w-full max-w-md flex-1 content-center px-4 pt-4 pb-24">
        <ConnectionNotice className="mb-4" />
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-sheet sm:p-8">
          <h1 className="text-2xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
          {lead && <p className="mt-1.5 text-muted [overflow-wrap:anywhere]">{lead}</p>}
          <div className="mt-6">{children}</div>
        </div>
      </main>
    </div>
  );
}

function Water() {
  return (
    <svg
      viewBox="0 0 1440 320"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="absolute inset-x-0 bottom-0 -z-10 h-[38vh] w-full fill-accent"
    >
      <path opacity="0.05" d="M0 90c180 0 240-50 420-50s280 60 480 60 300-55 540-40v260H0z" />
      <path opacity="0.06" d="M0 160c220-10 300 40 520 40s320-70 520-70 260 45 400 40v150H0z" />
      <path opacity="0.08" d="M0 240c160 20 330-25 560-20s340 45 520 40 240-35 360-35v95H0z" />
    </svg>
  );
}
