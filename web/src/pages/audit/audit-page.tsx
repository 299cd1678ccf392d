import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type AuditEntry, type AuditFilter as Filter, auditQuery } from '../../api.ts';
import type { AuditSearch } from '../../paths.ts';
import { daysAgo, startOfDay } from '../../times.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AuditFilterBar } from './audit-filter.tsx';
import { AuditList } from './audit-list.tsx';

export function AuditPage() {
  const search = useSearch({ from: '/signed-in/audit' });
  const log = useInfiniteQuery(auditQuery(search, () => filterOf(search)));
  return (
    <Page title="Audit log" lead="Every change in the organization: who made it, when, and from which IP address.">
      <div className="grid grid-cols-1 gap-5">
        <AuditFilterBar search={search} />
        <Loaded query={log} lines={8}>
          {({ pages }) => <Entries entries={pages.flatMap(({ data }) => data)} isFiltered={isFiltered(search)} />}
        </Loaded>
        <LoadMore query={log} />
      </div>
    </Page>
  );
}

const isFiltered = (search: AuditSearch) => Object.values(search).some(Boolean);

function Entries({ entries, isFiltered }: { entries: AuditEntry[]; isFiltered: boolean }) {
  if (entries.length) return <AuditList entries={entries} />;
  if (!isFiltered)
    return (
      <EmptyState icon="audit" title="No entries yet">
        Every change in the organization is listed here from now on.
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title="No entry matches">
      Choose a longer time, another subject or another person.
    </EmptyState>
  );
}

function filterOf({ noun, actor, when, from, to }: AuditSearch): Filter {
  const days = Number(when);
  return {
    action: noun && `${noun}.`,
    actorId: actor,
    ...(when === 'dates' && { from: startOfDay(from), to: startOfDay(to, 1) }),
    ...(days > 0 && { from: daysAgo(days) }),
  };
}
