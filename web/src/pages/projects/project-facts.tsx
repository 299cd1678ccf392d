import type { Deployment, Project } from '../../api.ts';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { ProjectServer } from './project-server.tsx';

type Props = {
  project: Project;
  /** The active release of production. */
  release: Deployment | undefined;
  /** Whether something is running or being deployed. */
  isActive: boolean;
};

export function ProjectFacts({ project, release, isActive }: Props) {
  return (
    <Facts
      rows={[
        ['Address', !release && <Later url={project.url} />],
        ['Runs on', <ProjectServer key="place" project={project} isFixed={isActive} />],
        ['Source', sourceOf(project.source)],
        ['Created', <Time key="created" at={project.createdAt} />],
      ]}
    />
  );
}

const Later = ({ url }: { url: string }) => <span className="text-muted">{url} after the first deployment</span>;

function sourceOf(source: Project['source']): string {
  if (source.type === 'githost') return withBranch(`${source.owner}/${source.repo}`, source.branch);
  if (source.type === 'git') return withBranch(source.url, source.branch);
  if (source.type === 'local') return `The folder ${source.path} of the server`;
  return source.type === 'upload' ? 'Uploaded folders' : 'A list of services';
}

const withBranch = (place: string, branch: string | undefined) => (branch ? `${place}, branch ${branch}` : place);
