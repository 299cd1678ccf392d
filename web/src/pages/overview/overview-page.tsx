import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery, useSession } from '../../api.ts';
import { paths, toNew } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Skeleton } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Origins } from '../new/origins.tsx';
import { NoProjects } from '../projects/no-projects.tsx';
import { ProjectCards } from '../projects/project-cards.tsx';
import { InstanceNotices } from './instance-notices.tsx';
import { LatestActivity } from './latest-activity.tsx';
import { NextSteps } from './next-steps.tsx';
import { RecentDeployments } from './recent-deployments.tsx';

const shownProjects = 6;

/** The state of all apps. Before the first one, it offers to create it. */
export function OverviewPage() {
  const { organization } = useSession();
  const may = usePermissions();
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  if (!organization) return null;
  const isEmpty = projects.data?.length === 0;
  const mayDeploy = may('project:write') && may('deployment:write');
  return (
    <Page
      title={isEmpty && mayDeploy ? 'Deploy your first app' : organization.name}
      lead={
        isEmpty && mayDeploy ? 'Choose where it comes from. You can check everything before it is deployed.' : undefined
      }
      action={!isEmpty && mayDeploy && <NewButton />}
    >
      <InstanceNotices />
      {projects.isLoading && <Skeleton lines={4} />}
      {isEmpty && mayDeploy && <Origins />}
      {(isEmpty || !may('project:list')) && !mayDeploy && <NoProjects />}
      {projects.data && !isEmpty && (
        <Section
          title="Projects"
          aside={projects.data.length > shownProjects && <AllProjects count={projects.data.length} />}
        >
          <ProjectCards projects={projects.data.slice(0, shownProjects)} />
        </Section>
      )}
      {may('deployment:list') && <RecentDeployments />}
      <NextSteps />
      {may('audit:list') && !isEmpty && <LatestActivity />}
    </Page>
  );
}

export const NewButton = () => (
  <Link {...toNew()} className={buttonLook({ kind: 'primary' })}>
    <Icon name="plus" size={16} />
    New app
  </Link>
);

const AllProjects = ({ count }: { count: number }) => (
  <Link to={paths.projects} className="rounded text-accent hover:underline">
    All {count} projects
  </Link>
);
