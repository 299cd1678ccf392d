import { unwrap } from '@mooring/client';
import { useNavigate } from '@tanstack/react-router';
import { client, type Project, useChange } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import type { Plan } from '../../server-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

type Props = { project: Project; plan: Plan; onClose: () => void };

/** Begins the deployment that takes over; how it goes is on its own page. */
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
      details={<Gaps plan={plan} />}
      onConfirm={() => cutOver.mutate(undefined)}
      onClose={onClose}
    >
      A deployment begins that replaces what runs now. The containers of before are stopped and kept; Undo brings them
      back as they were.
    </ConfirmDialog>
  );
}

/** Who is away for a moment, and who is not. */
function Gaps({ plan: { services } }: { plan: Plan }) {
  const changed = services.filter(({ change }) => change !== 'unchanged');
  const namesOf = (isGap: boolean) =>
    changed.filter(({ strategy }) => (strategy === 'stop_first') === isGap).map(({ name }) => name);
  const [withGap, without] = [namesOf(true), namesOf(false)];
  return (
    <dl className="grid gap-2 text-sm">
      {withGap.length > 0 && (
        <div className="rounded-lg bg-warn-soft px-3.5 py-2.5">
          <dt className="font-medium text-warn">With a gap</dt>
          <dd className="[overflow-wrap:anywhere]">
            {withGap.join(', ')}: stopped first, and away until the replacement is ready.
          </dd>
        </div>
      )}
      {without.length > 0 && (
        <div className="rounded-lg bg-good-soft px-3.5 py-2.5">
          <dt className="font-medium text-good">Without a gap</dt>
          <dd className="[overflow-wrap:anywhere]">{without.join(', ')}: stopped when the replacement is ready.</dd>
        </div>
      )}
    </dl>
  );
}
