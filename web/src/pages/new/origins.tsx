import { Link } from '@tanstack/react-router';
import { type Origin, toNew } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';

type Card = { from: Origin; icon: IconName; title: string; means: string; needs?: string; selfHosted?: boolean };

const cards: Card[] = [
  {
    from: 'git',
    icon: 'branch',
    title: 'Git repository',
    means: 'From your git host, or any URL. Each push can be deployed.',
  },
  {
    from: 'folder',
    icon: 'folder',
    title: 'Folder or archive',
    means: 'Drop a folder, a .zip or a .tar.gz from your computer.',
    selfHosted: true,
  },
  {
    from: 'compose',
    icon: 'project',
    title: 'Compose file',
    means: 'Paste or choose a compose.yaml with all its services.',
    selfHosted: true,
  },
  { from: 'image', icon: 'cloud', title: 'Docker image', means: 'Run an image from Docker Hub or any registry.' },
  {
    from: 'server',
    icon: 'server',
    title: 'Take over a server',
    means: 'Adopt the containers that already run on a server.',
    needs: 'server:list',
  },
];

/** The kinds of sources for a new app. */
export function Origins() {
  const may = usePermissions();
  const isSelfHosted = useIsSelfHosted();
  return (
    <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
      {cards
        .filter(({ needs, selfHosted }) => (!needs || may(needs)) && (!selfHosted || isSelfHosted))
        .map(({ from, icon, title, means }) => (
          <li key={from}>
            <Link
              {...toNew({ from })}
              className="flex h-full gap-4 rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-accent"
            >
              <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-accent-soft text-accent">
                <Icon name={icon} size={20} />
              </span>
              <span className="min-w-0">
                <span className="block font-medium">{title}</span>
                <span className="mt-0.5 block text-sm text-muted">{means}</span>
              </span>
            </Link>
          </li>
        ))}
    </ul>
  );
}
