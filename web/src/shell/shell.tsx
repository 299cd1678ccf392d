import { Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useSession } from '../api.ts';
import { useLiveUpdates } from '../live/organization.ts';
import { NoOrganizationPage } from '../pages/no-organization-page.tsx';
import { NotPermittedPage } from '../pages/not-permitted-page.tsx';
import { usePermissions } from '../permissions.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { NarrowBar } from './narrow-bar.tsx';
import { PaletteContext, usePaletteState } from './palette-state.ts';
import { Sidebar } from './sidebar.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The frame of every page for signed-in people. */
export function Shell() {
  const { organization } = useSession();
  const main = useFocusOnNavigation();
  const isPermitted = useIsPermitted();
  const palette = usePaletteState();
  useLiveUpdates();
  if (!organization) return <NoOrganizationPage />;
  return (
    <PaletteContext value={palette.open}>
      <div className="lg:pl-64">
        <a
          href="#main"
          className="fixed top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <aside className="fixed inset-y-0 left-0 hidden w-64 border-r border-line bg-surface lg:block">
          <Sidebar />
        </aside>
        <NarrowBar />
        <main id="main" ref={main} tabIndex={-1} className="mx-auto max-w-5xl px-4 py-7 outline-none sm:px-8 sm:py-10">
          <ConnectionNotice className="mb-6" />
          {isPermitted ? <Outlet /> : <NotPermittedPage />}
        </main>
        {palette.isOpen && (
          <Suspense>
            <Palette onClose={palette.close} />
          </Suspense>
        )}
      </div>
    </PaletteContext>
  );
}

function useIsPermitted(): boolean {
  const may = usePermissions();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  return !needs || may(needs);
}

/** Moves the focus to the content after navigation, as a page load would. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path) main.current?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);
  return main;
}
