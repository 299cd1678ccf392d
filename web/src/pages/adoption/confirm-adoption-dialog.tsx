import { ApiError, unwrap } from '@mooring/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Project, useChange } from '../../api.ts';
import { type Adoption, adoptionQuery } from '../../server-queries.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { AdoptionOutcome } from './adoption-outcome.tsx';
import { stoppedOriginalNames } from './stopped-originals.ts';
import { RestoreProgress } from './undo-dialog.tsx';

type Props = {
  project: Project;
  adoption: Adoption;
  onOutcome: (outcome: AdoptionOutcome) => void;
  onClose: () => void;
};

/** Removes the original containers; after that there is no undo. */
export function ConfirmAdoptionDialog({ project: { id: projectId, name }, adoption, onOutcome, onClose }: Props) {
  const queries = useQueryClient();
  const [force, setForce] = useState(false);
  const confirm = useChange(async () => {
    try {
      const wanted = { params: { path: { projectId } }, body: { force } };
      const { removed, warnings } = await unwrap(client.POST('/api/migration/{projectId}/confirm', wanted));
      onOutcome({ kind: 'confirm', containers: removed, warnings });
      onClose();
    } finally {
      void queries.invalidateQueries({ queryKey: adoptionQuery(projectId).queryKey });
    }
  });
  const isRefused = confirm.error instanceof ApiError && confirm.error.status === 409;
  return (
    <ConfirmDialog
      title={`Confirm the cut-over to ${name}?`}
      confirm="Remove them"
      change={confirm}
      details={
        confirm.isPending ? (
          <RestoreProgress>Removing the original containers …</RestoreProgress>
        ) : (
          (isRefused || force) && (
            <Checkbox checked={force} onChange={setForce}>
              Do it anyway: delete the files that they wrote outside volumes
            </Checkbox>
          )
        )
      }
      onConfirm={() => confirm.mutate(undefined)}
      onClose={onClose}
    >
      The original containers are removed: {stoppedOriginalNames(adoption)}. Their volumes, images and networks are
      kept. You cannot undo this.
    </ConfirmDialog>
  );
}
