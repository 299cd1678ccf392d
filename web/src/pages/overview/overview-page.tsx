import { useMe } from '../../api.ts';
import { useMay } from '../../permissions.ts';
import { Page } from '../../ui/page.tsx';
import { Counts } from './counts.tsx';
import { InstanceNotices } from './instance-notices.tsx';
import { LatestActivity } from './latest-activity.tsx';
import { NextSteps } from './next-steps.tsx';
import { ProjectList } from '../projects/project-list.tsx';
import { RecentDeployments } from './recent-deployments.tsx';

export function OverviewPage() {
  const { user, organization } = useMe();
  const may = useMay();
  if (!organization) return null;
  const lead = (
    <>
      You are signed in as {user.email} and working in <span className="font-medium text-ink">{organization.name}</span>
      .
    </>
  );
  return (
    <Page title={`Hello, ${user.name}`} lead={lead}>
      <InstanceNotices />
      <Counts />
      <NextSteps />
      {may('project:list') && <ProjectList />}
      {may('deployment:list') && <RecentDeployments />}
      {may('audit:list') && <LatestActivity />}
    </Page>
  );
}
