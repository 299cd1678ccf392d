import { unwrap } from '@mooring/client';
import { useQueryClient } from '@tanstack/react-query';
import { client, type Project, useChange } from '../../api.ts';
import { type Adoption, adoptionQuery } from '../../server-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { Outcome } from './adoption-outcome.tsx';
import { keptOf } from './kept.ts';
import { Progress } from './undo-dialog.tsx';

type Props = { project: Project; adoption: Adoption; onOutcome: (outcome: Outcome) => void; onClose: () => void };

/** Removes the original containers; after that there is no undo. */
export function ConfirmAdoptionDialog({ project: { id: projectId, name }, adoption, onOutcome, onClose }: Props) {
  const queries = useQueryClient();
  const confirm = useChange(async () => {
    try {
      const params = { path: { projectId } };
      const { removed, warnings } = await unwrap(client.POST('/api/migration/{projectId}/confirm', { params }));
      onOutcome({ kind: 'confirm', containers: removed, warnings });
      onClose();
    } finally {
      void queries.invalidateQueries({ queryKey: adoptionQuery(projectId).queryKey });
    }
  });
  return (
    <ConfirmDialog
      title={`Confirm the cut-over to ${name}?`}
      confirm="Remove them"
      change={confirm}
      details={confirm.isPending && <Progress>Removing the original containers …</Progress>}
      onConfirm={() => confirm.mutate(undefined)}
      onClose={onClose}
    >
      The original containers are removed: {keptOf(adoption)}. Their volumes, images and networks are kept. You cannot
      undo this.
    </ConfirmDialog>
  );
}
