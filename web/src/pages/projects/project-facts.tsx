import { useQuery } from '@tanstack/react-query';
import { type Deployment, deploymentsOfQuery, isMoving, type Project } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { useMay } from '../../permissions.ts';
import { Facts } from '../../ui/facts.tsx';
import { Addresses } from '../../ui/outside-link.tsx';
import { Time } from '../../ui/time.tsx';
import { ProjectPlace } from './project-place.tsx';

export function ProjectFacts({ project }: { project: Project }) {
  const may = useMay();
  const isSelfHosted = useIsSelfHosted();
  const deployments = useQuery({ ...deploymentsOfQuery(project.id), enabled: may('deployment:list') });
  // What was taken to the cloud may still serve here as well, and the other way round.
  const isWhereItLives = ({ deployTarget }: Deployment) =>
    (deployTarget === 'cloud') === (project.deployTarget === 'cloud') || !isSelfHosted;
  const active = deployments.data?.find(
    (each) => each.active && each.environment === 'production' && isWhereItLives(each),
  );
  const isActive = deployments.data?.some((each) => each.active || isMoving(each)) ?? true;
  // Services that nothing leads to have none.
  const urls = active?.urls ?? [project.url];
  const isNew = deployments.data?.length === 0;
  return (
    <Facts
      rows={[
        ['Addresses', isNew ? <Later url={project.url} /> : urls.length > 0 && <Addresses urls={urls} />],
        ['Runs on', <ProjectPlace key="place" project={project} isFixed={isActive} />],
        ['Source', sourceOf(project.source)],
        ['Created', <Time key="created" at={project.createdAt} />],
      ]}
    />
  );
}

const Later = ({ url }: { url: string }) => <span className="text-muted">{url}, once it is deployed</span>;

function sourceOf(source: Project['source']): string {
  if (source.type === 'githost') return withBranch(`${source.owner}/${source.repo}`, source.branch);
  if (source.type === 'git') return withBranch(source.url, source.branch);
  if (source.type === 'local') return `The folder ${source.path} of the server`;
  return source.type === 'upload' ? 'Uploaded folders' : 'A list of services';
}

const withBranch = (place: string, branch: string | undefined) => (branch ? `${place}, branch ${branch}` : place);
