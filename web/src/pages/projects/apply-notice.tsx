import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  activeReleasesQuery,
  client,
  deploymentsOfQuery,
  isUnfinishedDeployment,
  sentenceOf,
  useChange,
} from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

type Props = { projectId: string; environment: string; title: string };

/** Pending changes of an environment, with a button that applies them without a build. */
export function ApplyNotice({ projectId, environment, title }: Props) {
  const may = usePermissions();
  const isKnown = may('deployment:list');
  const releases = useQuery({ ...activeReleasesQuery(projectId), enabled: isKnown });
  const deployments = useQuery({ ...deploymentsOfQuery(projectId), enabled: isKnown });
  const apply = useApply();
  const active = releases.data?.find((each) => each.environment === environment);
  const running = deployments.data?.find((each) => isUnfinishedDeployment(each) && each.environment === environment);
  // Before the first deployment there is nothing to apply changes to; the table explains that.
  if (!active && !running) return null;
  return (
    <Notice>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium">{title}</p>
          <p>
            {running
              ? 'A deployment is running.'
              : 'Apply now restarts the active release, with a build only if one is needed.'}
          </p>
        </div>
        {running && (
          <Link {...toDeployment(running.id)} className="rounded text-accent hover:underline">
            View deployment
          </Link>
        )}
        {active && !running && may('deployment:write') && (
          <Button size="small" busy={apply.isPending} onClick={() => apply.mutate(active.id)}>
            Apply now
          </Button>
        )}
      </div>
      {apply.isError && (
        <p role="alert" className="mt-1.5 font-medium text-danger">
          {sentenceOf(apply.error)}
        </p>
      )}
    </Notice>
  );
}

function useApply() {
  const navigate = useNavigate();
  return useChange(async (id: string) => {
    const params = { path: { id } };
    const body = { reuseArtifact: true };
    const made = await unwrap(client.POST('/api/deployments/{id}/redeploy', { params, body }));
    await navigate(toDeployment(made.deployment_id));
  });
}
