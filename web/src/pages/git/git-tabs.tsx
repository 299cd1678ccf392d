import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';

const look = 'block border-b-2 border-transparent px-3 py-2 text-muted -outline-offset-2 hover:text-ink';
const tabs = [
  { to: paths.git, title: 'Repositories' },
  { to: paths.deliveries, title: 'Webhook deliveries' },
] as const;

export function GitTabs() {
  if (!usePermissions()('githost:list')) return null;
  return (
    <nav aria-label="Git" className="border-b border-line">
      <ul className="flex gap-1">
        {tabs.map(({ to, title }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ className: '!border-accent font-medium !text-ink' }}
              className={look}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
