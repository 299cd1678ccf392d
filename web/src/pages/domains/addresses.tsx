import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { domainsQuery } from '../../api.ts';
import { toDomains } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { DnsBadge } from './domain-badges.tsx';

/** Unreachable domains come last, with the reason. */
export function ReleaseAddresses({ projectId, urls }: { projectId: string; urls: string[] }) {
  const may = usePermissions();
  const { data: domains = [] } = useQuery({ ...domainsQuery(projectId), enabled: may('project:read') });
  const lost = domains.filter(({ pointing }) => pointing && pointing.status !== 'here');
  const listed = urls.map((url) => ({ url, domain: lost.find(({ name }) => name === URL.parse(url)?.hostname) }));
  return (
    <ul>
      {listed
        .toSorted((one, other) => Number(Boolean(one.domain)) - Number(Boolean(other.domain)))
        .map(({ url, domain }) => (
          <li key={url} className="flex flex-wrap items-center gap-x-2.5">
            <OutsideLink url={url} />
            {domain && (
              <Link {...toDomains(projectId)} className="rounded font-normal">
                <DnsBadge domain={domain} />
              </Link>
            )}
          </li>
        ))}
    </ul>
  );
}
