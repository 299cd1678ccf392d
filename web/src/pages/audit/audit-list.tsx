import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../api.ts';
import { toAudit } from '../../paths.ts';
import { Icon } from '../../ui/icons.tsx';
import { Time } from '../../ui/time.tsx';
import { AuditLine } from './audit-line.tsx';
import { useTargetLink } from './target-link.ts';

/** Entries as sentences. Each opens to its details. */
export function AuditList({ entries }: { entries: AuditEntry[] }) {
  return (
    <ul className="divide-y divide-line rounded-xl border border-line bg-surface shadow-card">
      {entries.map((entry) => (
        <li key={entry.id}>
          <details className="group">
            <summary className="flex list-none items-start gap-3 rounded-xl px-4 py-3 hover:bg-sunken [&::-webkit-details-marker]:hidden">
              <Icon name="right" size={16} className="mt-1 text-muted transition-transform group-open:rotate-90" />
              <span className="min-w-0 flex-1">
                <AuditLine entry={entry} />
                <span className="block text-sm text-muted sm:hidden">
                  <Time at={entry.at} />
                </span>
              </span>
              <span className="hidden pt-px text-sm text-muted sm:block">
                <Time at={entry.at} />
              </span>
            </summary>
            <Details entry={entry} />
          </details>
        </li>
      ))}
    </ul>
  );
}

const toTheSecond = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** `hookId` -> `Hook id`. */
const wordsOf = (name: string) => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function Details({ entry }: { entry: AuditEntry }) {
  const link = useTargetLink()(entry);
  const { at, action, actor, ip, target, details } = entry;
  const rows: [string, string | null | undefined][] = [
    ['Time', toTheSecond.format(Date.parse(at))],
    ['Action', action],
    ['IP address', ip],
    ['Token', actor.tokenId],
    ['Target', target?.id],
    ...Object.entries(details).map(([name, value]): [string, string] => [wordsOf(name), String(value)]),
  ];
  return (
    <div className="px-4 pt-2 pb-4 pl-11">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{value}</dd>
            </div>
          ))}
      </dl>
      <p className="mt-3 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {link && (
          <Link {...link} className="rounded text-accent hover:underline">
            Open {target?.name ?? target?.id}
          </Link>
        )}
        {actor.id && (
          <Link {...toAudit({ actor: actor.id })} className="rounded text-accent hover:underline">
            All entries by {actor.name}
          </Link>
        )}
      </p>
    </div>
  );
}
