import { unwrap } from '@mooring/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { client, type Project, sentenceOf, useChange } from '../../api.ts';
import { toDeployment, toNew } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button, buttonLook } from '../../ui/button.tsx';

/** Deploys the newest state of the project's source. Folders have to be uploaded again. */
export function DeployButton({ project }: { project: Project }) {
  const may = usePermissions();
  const navigate = useNavigate();
  const { id, source } = project;
  const deploy = useChange(async () => {
    const begun = isGit(source)
      ? (await unwrap(client.POST('/api/deployments', { body: { projectId: id } }))).data.id
      : (await unwrap(client.POST('/api/deployments/build/access', { body: { projectId: id } }))).deployment_id;
    await navigate(toDeployment(begun));
  });
  if (!may('deployment:write')) return null;
  if (source.type === 'upload')
    return (
      may('project:write') && (
        <Link {...toNew({ from: 'folder', project: id })} className={buttonLook({ kind: 'primary' })}>
          Deploy a folder
        </Link>
      )
    );
  return (
    <span className="grid justify-items-end gap-1">
      <Button kind="primary" busy={deploy.isPending} onClick={() => deploy.mutate(undefined)}>
        Deploy
      </Button>
      {deploy.isError && (
        <span role="alert" className="max-w-72 text-right text-sm text-danger">
          {sentenceOf(deploy.error)}
        </span>
      )}
    </span>
  );
}

const isGit = ({ type }: Project['source']): boolean => type === 'git' || type === 'githost';
