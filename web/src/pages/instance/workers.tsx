import { useQuery } from '@tanstack/react-query';
import { workersQuery, type Worker } from '../../worker-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** Machines that build images. Not shown while there are none. */
export function Workers() {
  const query = useQuery(workersQuery);
  if (query.data?.length === 0) return null;
  return (
    <Section title="Build workers">
      <Loaded query={query}>
        {(workers) => <Table label="Build workers" rows={workers} keyOf={({ id }) => id} columns={columns} />}
      </Loaded>
    </Section>
  );
}

const columns: Column<Worker>[] = [
  { title: 'Name', place: 'lead', cell: ({ name }) => name },
  { title: 'Platforms', cell: ({ platforms }) => platforms.join(', ') },
  { title: 'Labels', cell: ({ labels }) => labels.join(', ') || 'None' },
  { title: 'State', cell: (worker) => <State {...worker} /> },
];

function State({ isConnected, lastSeenAt, builds }: Worker) {
  if (!isConnected)
    return (
      <span>
        Last seen <Time at={lastSeenAt} />
      </span>
    );
  return builds.length ? <Badge kind="accent">{`Building ${builds.length}`}</Badge> : 'Waiting';
}
