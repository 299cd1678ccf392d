import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asSentence, type Project, projectsQuery } from '../../api.ts';
import { projectLinkQuery, type Repository } from '../../githost-queries.ts';
import { toProject } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { followersOf } from './git-words.ts';

/** The projects deployed from a repository. */
export function FollowersSection({ repository }: { repository: Repository }) {
  const may = usePermissions();
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  if (!may('project:list')) return null;
  return (
    <Section title="Projects">
      <Loaded query={projects} lines={2}>
        {(all) => <Followers projects={followersOf(all, repository)} />}
      </Loaded>
    </Section>
  );
}

function Followers({ projects }: { projects: Project[] }) {
  if (!projects.length)
    return <p className="text-sm text-muted">No project that you can see is deployed from this repository.</p>;
  return (
    <Card>
      <ul className="divide-y divide-line">
        {projects.map((project) => (
          <Follower key={project.id} project={project} />
        ))}
      </ul>
    </Card>
  );
}

function Follower({ project: { id, name, source, autoDeploy, rootDirectory } }: { project: Project }) {
  const may = usePermissions();
  const { data: link } = useQuery({ ...projectLinkQuery(id), enabled: may('project:read') });
  const branch = link?.branch ?? (source.type === 'githost' ? source.branch : undefined);
  const facts = [
    branch ? `branch ${branch}` : 'default branch',
    rootDirectory && `folder ${rootDirectory}`,
    link?.seenCommit && `latest commit ${link.seenCommit.slice(0, 7)}`,
    link && autoDeploy && (link.announced ? 'pushes reported by webhook' : 'branch is polled'),
  ].filter(Boolean);
  return (
    <li className="grid gap-1 px-5 py-3.5">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
        <Link {...toProject(id)} className="rounded text-accent [overflow-wrap:anywhere] hover:underline">
          {name}
        </Link>
        {autoDeploy ? <Badge kind="good">Deploys pushes</Badge> : <Badge>Deploys on request</Badge>}
      </p>
      <p className="text-sm text-muted [overflow-wrap:anywhere]">
        {facts.join(' · ')}
        {link?.checkedAt && (
          <>
            {' · checked '}
            <Time at={link.checkedAt} />
          </>
        )}
      </p>
      {link?.problem && <p className="text-sm text-danger [overflow-wrap:anywhere]">{asSentence(link.problem)}</p>}
    </li>
  );
}
