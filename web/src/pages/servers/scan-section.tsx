import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery, useSession } from '../../api.ts';
import { useResourcePermissions } from '../../permissions.ts';
import { type FoundService, scanQuery, type Server, type Stack } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Failure, Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { AdoptBar } from './adopt-bar.tsx';
import { AdoptDialog } from './adopt-dialog.tsx';
import { GroupCard, managers } from './group-card.tsx';

/** The containers on a server, and which of them can be adopted. A scan changes nothing there. */
export function ScanSection({ server }: { server: Server }) {
  const mayOn = useResourcePermissions();
  const { data: health } = useQuery(healthQuery);
  const isUsable = Boolean(server.lastCheck?.ok && server.lastCheck.engine?.available);
  const isAllowed = mayOn('server', server.id, 'write') && health?.mode === 'self-hosted';
  const scan = useQuery({ ...scanQuery(server.id), enabled: isUsable && isAllowed });
  if (!isAllowed) return null;
  const again = isUsable && scan.data && (
    <Button size="small" className="text-ink" busy={scan.isFetching} onClick={() => void scan.refetch()}>
      Scan again
    </Button>
  );
  return (
    <Section title="Containers" aside={again}>
      {!isUsable && (
        <EmptyState icon="server" title="Not scanned yet">
          Test the connection first. Once it finds a container engine, its containers are listed here.
        </EmptyState>
      )}
      <div role="status" className={isUsable && scan.isFetching && !scan.data ? 'py-4' : 'sr-only'}>
        {scan.isFetching && <Waiting>Scanning the containers …</Waiting>}
      </div>
      {isUsable && scan.error && !scan.isFetching && <Failure error={scan.error} retry={() => void scan.refetch()} />}
      {isUsable && scan.data && !scan.error && <Found stack={scan.data} />}
    </Section>
  );
}

function Found({ stack }: { stack: Stack }) {
  const [chosen, setChosen] = useState<string[]>([]);
  // A copy from when the dialog opened: once adopted, they can no longer be selected.
  const [adopting, setAdopting] = useState<FoundService[]>();
  const isRestricted = useSession().organization?.role === 'restricted';
  if (!stack.services.length)
    return (
      <EmptyState icon="server" title="No containers">
        The container engine of this server runs none yet. Projects that you deploy to it are listed above.
      </EmptyState>
    );
  const choose = (names: string[], on: boolean) =>
    setChosen((before) => [...before.filter((name) => !names.includes(name)), ...(on ? names : [])]);
  // Selected services may have been removed or adopted since.
  const still = stack.services.filter(({ name, adoptable }) => adoptable && chosen.includes(name));
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-sm text-muted">{summaryOf(stack)}</p>
      <Warnings sentences={stack.warnings} />
      {isRestricted && <Notice>Restricted members cannot create projects, so you can look but not adopt.</Notice>}
      {groupsOf(stack).map((group) => (
        <GroupCard key={group.title} {...group} chosen={chosen} onChoose={isRestricted ? undefined : choose} />
      ))}
      {still.length > 0 && (
        <AdoptBar count={still.length} onAdopt={() => setAdopting(still)} onClear={() => setChosen([])} />
      )}
      {adopting && <AdoptDialog serverId={stack.serverId} services={adopting} onClose={() => setAdopting(undefined)} />}
    </div>
  );
}

/** Ungrouped containers come last, our own separately. */
function groupsOf({ groups, services }: Stack) {
  // Our own containers are grouped by project id, which means nothing to people.
  const ours = new Set(groups.flatMap(({ source, project }) => (source === 'mooring' ? [project] : [])));
  const isOurs = ({ group, alreadyManaged }: FoundService) => ours.has(group) || (group === null && alreadyManaged);
  const own = [
    { title: 'Containers run by hand', services: services.filter((each) => each.group === null && !isOurs(each)) },
    { title: 'Managed by Mooring', services: services.filter(isOurs) },
  ];
  const named = groups.flatMap(({ project, source, composeFiles: files }) =>
    project === null || source === 'mooring'
      ? []
      : [
          {
            title: project,
            manager: managers[source],
            files,
            services: services.filter(({ group }) => group === project),
          },
        ],
  );
  return [...named, ...own.filter((group) => group.services.length > 0)];
}

function summaryOf({ engine, services, adoptable }: Stack): string {
  const swarm = engine.swarm ? ', in a swarm' : '';
  const count = services.length === 1 ? '1 service' : `${services.length} services`;
  return `Docker ${engine.version} on ${engine.os}, ${engine.arch}${swarm}: ${count}, of which ${adoptable || 'none'} can be adopted.`;
}

function Warnings({ sentences }: { sentences: string[] }) {
  if (!sentences.length) return null;
  return (
    <Notice kind="warn">
      <ul className="grid gap-1 text-ink">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Notice>
  );
}
