import { unwrap } from '@mooring/client';
import { useNavigate } from '@tanstack/react-router';
import { client, type Project, useChange } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import type { Plan } from '../../server-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

type Props = { project: Project; plan: Plan; onClose: () => void };

/** Starts the deployment that cuts over, and opens its page. */
export function CutOverDialog({ project: { id: projectId, name }, plan, onClose }: Props) {
  const navigate = useNavigate();
  const cutOver = useChange(async () => {
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body: { projectId } }));
    await navigate(toDeployment(id));
  });
  return (
    <ConfirmDialog
      title={`Cut over to ${name}?`}
      confirm="Cut over"
      kind="primary"
      change={cutOver}
      details={<Downtime plan={plan} />}
      onConfirm={() => cutOver.mutate(undefined)}
      onClose={onClose}
    >
      A deployment replaces the original containers. They are stopped and kept, and Undo starts them again as they were.
    </ConfirmDialog>
  );
}

/** Which services have downtime, and which do not. */
function Downtime({ plan: { services } }: { plan: Plan }) {
  const changed = services.filter(({ change }) => change !== 'unchanged');
  const namesOf = (hasDowntime: boolean) =>
    changed.filter(({ strategy }) => (strategy === 'stop_first') === hasDowntime).map(({ name }) => name);
  const [withDowntime, without] = [namesOf(true), namesOf(false)];
  return (
    <dl className="grid gap-2 text-sm">
      {withDowntime.length > 0 && (
        <div className="rounded-lg bg-warn-soft px-3.5 py-2.5">
          <dt className="font-medium text-warn">With downtime</dt>
          <dd className="[overflow-wrap:anywhere]">
            {withDowntime.join(', ')}: stopped first, and unavailable until the replacement is ready.
          </dd>
        </div>
      )}
      {without.length > 0 && (
        <div className="rounded-lg bg-good-soft px-3.5 py-2.5">
          <dt className="font-medium text-good">Without downtime</dt>
          <dd className="[overflow-wrap:anywhere]">{without.join(', ')}: stopped when the replacement is ready.</dd>
        </div>
      )}
    </dl>
  );
}
