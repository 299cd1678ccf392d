import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../api.ts';
import { usePermissions, useResourcePermissions } from '../../permissions.ts';
import { type Server, serverQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Failure } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { addressOf } from './address.ts';
import { AuthorizedKey } from './authorized-key.tsx';
import { CheckBadge } from './check-badge.tsx';
import { ClusterSection } from './cluster-section.tsx';
import { ServerProjects } from './server-projects.tsx';
import { ScanSection } from './scan-section.tsx';
import { ServerFacts } from './server-facts.tsx';
import { ServerMenu } from './server-menu.tsx';
import { type ServerTask, ServerTaskDialog } from './server-task-dialog.tsx';
import { useServerTest } from './server-test.ts';
import { TestOutcome } from './test-outcome.tsx';

/** One server: its connection, the projects on it, and the containers that can be adopted. */
export function ServerPage() {
  const { id } = useParams({ from: '/signed-in/servers/$id' });
  const server = useQuery(serverQuery(id));
  if (server.error instanceof ApiError && server.error.status === 404) return <NotHere />;
  return (
    <Page
      title={server.data?.name ?? 'Server'}
      lead={server.data && addressOf(server.data)}
      action={server.data && <Actions server={server.data} />}
    >
      <Loaded query={server} lines={6}>
        {/* A key per server: state must not carry over to another one. */}
        {(data) => <Details key={id} server={data} />}
      </Loaded>
    </Page>
  );
}

function Actions({ server }: { server: Server }) {
  const mayOn = useResourcePermissions();
  const test = useServerTest(server.id);
  const [task, setTask] = useState<ServerTask>();
  if (!mayOn('server', server.id, 'write')) return null;
  return (
    <div className="flex items-center gap-1">
      <Button kind={server.lastCheck?.ok ? 'secondary' : 'primary'} busy={test.isPending} onClick={test.begin}>
        Test connection
      </Button>
      <ServerMenu server={server} onTask={setTask} />
      {task && <ServerTaskDialog task={task} onClose={() => setTask(undefined)} />}
    </div>
  );
}

function Details({ server }: { server: Server }) {
  const may = usePermissions();
  const mayOn = useResourcePermissions();
  const test = useServerTest(server.id);
  const { lastCheck, hostKey } = server;
  // The host key is known since the first successful login.
  const needsKey = hostKey === null || lastCheck?.code === 'auth_failed';
  return (
    <>
      <Section title="Connection" aside={<CheckBadge check={lastCheck} isRunning={test.isPending} />}>
        <div className="grid grid-cols-1 gap-4">
          <div role="status" className={test.isPending ? '' : 'sr-only'}>
            {test.isPending && (
              <div className="rounded-lg bg-accent-soft px-3.5 py-2.5">
                <Waiting>Connecting and inspecting the server …</Waiting>
              </div>
            )}
          </div>
          {test.error && <Failure error={test.error} retry={test.begin} />}
          {!test.isPending && <TestOutcome server={server} />}
          {needsKey && mayOn('server', server.id, 'write') && <AuthorizedKey server={server} />}
          <ServerFacts server={server} />
        </div>
      </Section>
      <ClusterSection server={server} />
      {may('project:list') && server.runtime !== 'node' && <ServerProjects server={server} />}
      <ScanSection server={server} />
    </>
  );
}

/** Removed, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Server">
      <EmptyState icon="server" title="Server not found">
        {organization?.name} has no server with this id. It was removed, or belongs to another organization.
      </EmptyState>
    </Page>
  );
}
