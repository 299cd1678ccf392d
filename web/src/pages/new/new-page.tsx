import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, projectQuery, sentenceOf, useChange } from '../../api.ts';
import { type NewSearch, toDeployment, toNew, toProject } from '../../paths.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { type Candidate, nameOfUrl } from './candidate.ts';
import { ComposeSource } from './compose-source.tsx';
import { FolderSource } from './folder-source.tsx';
import { GitSource } from './git-source.tsx';
import { ImageSource } from './image-source.tsx';
import { Origins } from './origins.tsx';
import { type SourceSelection, Review } from './review.tsx';
import { ServerSource } from './server-source.tsx';

const titles = {
  git: 'Deploy a git repository',
  folder: 'Deploy a folder',
  compose: 'Deploy a compose file',
  image: 'Deploy a Docker image',
  server: 'Take over a server',
} as const;

/** From the choice of a source to the first deployment. */
export function NewPage() {
  const search = useSearch({ from: '/signed-in/new' });
  const { from } = search;
  if (!from)
    return (
      <Page title="Deploy an app" lead="Choose where it comes from. You can check everything before it is deployed.">
        <Origins />
      </Page>
    );
  return (
    <Page title={titles[from]}>
      {/* A key per source: state must not carry over to another one. */}
      <Source key={from} from={from} search={search} />
    </Page>
  );
}

/** A repository is part of the URL, so that it can be shared; files live only as long as the page. */
function Source({ from, search }: { from: NonNullable<NewSearch['from']>; search: NewSearch }) {
  const navigate = useNavigate();
  const [picked, setPicked] = useState<Candidate>();
  const candidate = fromSearch(search) ?? picked;
  if (candidate) {
    const look = (place: SourceSelection) => {
      if (picked) setPicked({ ...picked, ...place });
      else void navigate({ ...toNew({ ...search, ...place }), replace: true });
    };
    return (
      <Review key={`${search.branch} ${candidate.root} ${candidate.deploys}`} candidate={candidate} onPlace={look} />
    );
  }
  if (from === 'git') return <GitSource onRepository={(place) => void navigate(toNew({ from, ...place }))} />;
  if (search.project) return <NewVersion projectId={search.project} />;
  if (from === 'folder') return <FolderSource onUploaded={setPicked} />;
  if (from === 'compose') return <ComposeSource onUploaded={setPicked} />;
  if (from === 'image') return <ImageSource onChosen={setPicked} />;
  return <ServerSource />;
}

/** Uploads files to an existing project, which keeps its settings. */
function NewVersion({ projectId }: { projectId: string }) {
  const navigate = useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const deploy = useChange(async ({ uploadSessionId }: Candidate) => {
    const body = { projectId, ...(uploadSessionId && { uploadSessionId }) };
    const { deployment_id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    await navigate(toDeployment(deployment_id));
  });
  return (
    <>
      <p className="text-muted">
        A new version of{' '}
        <Link {...toProject(projectId)} className="text-accent [overflow-wrap:anywhere] hover:underline">
          {project?.name ?? 'the project'}
        </Link>
        , with its settings and variables.
      </p>
      <FolderSource onUploaded={(candidate) => deploy.mutate(candidate)} />
      {deploy.isError && (
        <Notice kind="danger" alert>
          {sentenceOf(deploy.error)}
        </Notice>
      )}
    </>
  );
}

function fromSearch({ from, repo, url, branch, root, deploys }: NewSearch): Candidate | undefined {
  if (from !== 'git') return undefined;
  const of = branch ? { branch } : {};
  const [owner, name] = repo?.split('/') ?? [];
  if (owner && name)
    return {
      name,
      origin: withBranch(`${owner}/${name}`, branch),
      source: { type: 'githost', owner, repo: name, ...of },
      root,
      deploys,
    };
  return url
    ? { name: nameOfUrl(url), origin: withBranch(url, branch), source: { type: 'git', url, ...of }, root, deploys }
    : undefined;
}

const withBranch = (place: string, branch: string | undefined) => (branch ? `${place}, branch ${branch}` : place);
