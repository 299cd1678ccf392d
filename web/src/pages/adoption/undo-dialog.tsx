import { unwrap } from '@mooring/client';
import { useQueryClient } from '@tanstack/react-query';
import { client, type Project, useChange } from '../../api.ts';
import { type Adoption, adoptionQuery } from '../../server-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import type { AdoptionOutcome } from './adoption-outcome.tsx';
import { stoppedOriginalNames } from './stopped-originals.ts';

type Props = {
  project: Project;
  adoption: Adoption;
  onOutcome: (outcome: AdoptionOutcome) => void;
  onClose: () => void;
};

export function UndoDialog({ project: { id: projectId, name }, adoption, onOutcome, onClose }: Props) {
  const queries = useQueryClient();
  const undo = useChange(async () => {
    try {
      const params = { path: { projectId } };
      const { restored, warnings } = await unwrap(client.POST('/api/migration/{projectId}/undo', { params }));
      onOutcome({ kind: 'undo', containers: restored, warnings });
      onClose();
    } finally {
      // An undo that failed halfway has changed the adoption too.
      void queries.invalidateQueries({ queryKey: adoptionQuery(projectId).queryKey });
    }
  });
  return (
    <ConfirmDialog
      title={`Undo the cut-over to ${name}?`}
      confirm="Undo"
      change={undo}
      details={
        undo.isPending ? (
          <RestoreProgress>Restoring the original containers …</RestoreProgress>
        ) : (
          <Downtime of={adoption} />
        )
      }
      onConfirm={() => undo.mutate(undefined)}
      onClose={onClose}
    >
      The containers of this project on the server are stopped and removed, and its addresses stop working. The original
      containers start again: {stoppedOriginalNames(adoption)}. Volumes are not touched, so data written since the
      cut-over is kept.
    </ConfirmDialog>
  );
}

/** Which services stop before their original containers start. */
function Downtime({ of: { services } }: { of: Adoption }) {
  const names = services.filter(({ stopsFirst }) => stopsFirst).map(({ name }) => name);
  if (!names.length) return null;
  return (
    <Notice kind="warn">
      Short downtime: {names.join(', ')}. They share a port or a volume with their original containers, so they stop
      first.
    </Notice>
  );
}

export const RestoreProgress = ({ children }: { children: string }) => (
  <div role="status">
    <Waiting>{children}</Waiting>
  </div>
);
