import { ApiError } from '@mooring/client';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Project, projectQuery, useSession } from '../../api.ts';
import { paths } from '../../paths.ts';
import { ProjectContext, usePermissions } from '../../permissions.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { DeployTargetBadge } from '../cloud/deploy-target-badge.tsx';
import { DeployButton } from './deploy-button.tsx';

/** One project: its name, its tabs, and the tab that is open. */
export function ProjectLayout() {
  const { id } = useParams({ from: '/signed-in/projects/$id' });
  const project = useQuery(projectQuery(id));
  if (project.error instanceof ApiError && project.error.status === 404) return <NotHere />;
  return (
    <ProjectContext value={id}>
      <Page
        title={project.data?.name ?? 'Project'}
        action={project.data && <Actions project={project.data} />}
        tabs={<Tabs id={id} />}
      >
        <Loaded query={project} lines={6}>
          {/* A key per project: state must not carry over to another one. */}
          {() => <Outlet key={id} />}
        </Loaded>
      </Page>
    </ProjectContext>
  );
}

const Actions = ({ project }: { project: Project }) => (
  <span className="flex flex-wrap items-center gap-3">
    <DeployTargetBadge target={project.deployTarget} />
    <DeployButton project={project} />
  </span>
);

/** The project whose tab is open. */
export function useProject(): Project {
  const { id } = useParams({ from: '/signed-in/projects/$id' });
  return useSuspenseQuery(projectQuery(id)).data;
}

const tabs = [
  { to: paths.project, title: 'Overview' },
  { to: paths.projectDeployments, title: 'Deployments', needs: 'deployment:list' },
  { to: paths.projectLogs, title: 'Logs', needs: 'deployment:list' },
  { to: paths.projectVariables, title: 'Variables' },
  { to: paths.projectDomains, title: 'Domains' },
  { to: paths.projectTraffic, title: 'Traffic' },
  { to: paths.projectVolumes, title: 'Volumes' },
  { to: paths.projectBackups, title: 'Backups', needs: 'backup:list' },
  { to: paths.projectServices, title: 'Services', needs: 'deployment:read' },
  { to: paths.projectSettings, title: 'Settings', needs: 'project:write' },
] as const satisfies { to: string; title: string; needs?: string }[];

/** Scrolls sideways on a narrow screen. */
function Tabs({ id }: { id: string }) {
  const may = usePermissions();
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a narrow screen the open tab may be scrolled out of view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label="Project" className="-mx-4 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0">
      <ul className="flex w-max gap-1">
        {tabs
          .filter((tab) => !('needs' in tab) || may(tab.needs))
          .map(({ to, title }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ id }}
                activeOptions={{ exact: to === paths.project, includeSearch: false }}
                activeProps={{ className: '!border-accent font-medium !text-ink' }}
                className="block border-b-2 border-transparent px-3 py-2 text-muted -outline-offset-2 hover:text-ink"
              >
                {title}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Deleted, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Project">
      <EmptyState icon="project" title="There is no such project here">
        {organization?.name} has none with this address. It may have been deleted, or belong to another organization.
      </EmptyState>
    </Page>
  );
}
