import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../api.ts';
import { apiReference, paths } from '../paths.ts';
import { usePermissions } from '../permissions.ts';
import { Icon } from '../ui/icons.tsx';
import { Logo } from '../ui/logo.tsx';
import { ThemeToggle } from '../ui/theme-toggle.tsx';
import { AccountMenu } from './account-menu.tsx';
import { entryGroups } from './navigation-entries.ts';
import { paletteKeys, useOpenPalette } from './palette-state.ts';
import { OrganizationSwitcher } from './organization-switcher.tsx';

const look = 'flex items-center gap-3 rounded-lg px-3 py-1.5 lg:py-1 text-muted hover:bg-sunken hover:text-ink';
const current = 'bg-accent-soft font-medium !text-accent';

/** Calls `onLeave` for every followed link, so that a drawer can close. */
export function Sidebar({ onLeave }: { onLeave?: () => void }) {
  const may = usePermissions();
  const openPalette = useOpenPalette();
  return (
    <div className="flex h-full flex-col p-4">
      <Link to={paths.overview} onClick={onLeave} className="mb-4 rounded-lg px-2 py-1">
        <Logo />
      </Link>
      <OrganizationSwitcher onLeave={onLeave} />
      <button
        type="button"
        onClick={() => {
          onLeave?.();
          openPalette();
        }}
        className="mt-4 flex items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon name="search" size={16} />
        Search
        <kbd className="ml-auto font-sans text-xs">{paletteKeys}</kbd>
      </button>
      <nav aria-label="Main" className="-mx-1 mt-4 grid min-h-0 gap-4 overflow-y-auto p-1">
        {entryGroups
          .map((entries) => entries.filter(({ needs }) => !needs || may(needs)))
          .filter((entries) => entries.length > 0)
          .map((entries) => (
            <ul key={entries[0]!.to} className="grid gap-0.5">
              {entries.map(({ to, title, icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    onClick={onLeave}
                    className={look}
                    activeOptions={{ exact: to === paths.overview, includeSearch: false }}
                    activeProps={{ className: current }}
                  >
                    <Icon name={icon} />
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
        <a href={apiReference} target="_blank" rel="noreferrer" className={look}>
          <Icon name="book" />
          API reference
          <Icon name="external" size={14} className="ml-auto" />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
      </nav>
      <div className="mt-auto flex flex-col gap-3 border-t border-line pt-3">
        <AccountMenu onLeave={onLeave} />
        <div className="flex items-center gap-3 px-2">
          <ThemeToggle />
          <Version />
        </div>
      </div>
    </div>
  );
}

function Version() {
  const { data } = useQuery(healthQuery);
  return (
    <p title={data?.mode} className="text-xs text-muted">
      {data && `Mooring ${data.version}`}
    </p>
  );
}
