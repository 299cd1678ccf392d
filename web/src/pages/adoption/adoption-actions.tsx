import { useState } from 'react';
import type { Project } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import type { Adoption, Plan } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAdoptionDialog } from './confirm-adoption-dialog.tsx';
import { CutOverDialog } from './cut-over-dialog.tsx';
import type { AdoptionOutcome } from './adoption-outcome.tsx';
import { UndoDialog } from './undo-dialog.tsx';

type Props = {
  project: Project;
  adoption: Adoption;
  plan: Plan | undefined;
  onOutcome: (outcome: AdoptionOutcome) => void;
};

/** The actions on the adoption that are available to the signed-in person. */
export function AdoptionActions({ project, adoption, plan, onOutcome }: Props) {
  const may = usePermissions();
  const [asking, setAsking] = useState<'cut-over' | 'undo' | 'confirm'>();
  const onClose = () => setAsking(undefined);
  const { state, canUndo } = adoption;
  const mayEnd = may('server:write') && may('project:write');
  const isCuttable = plan !== undefined && plan.services.some(({ change }) => change !== 'unchanged');
  return (
    <div className="flex flex-wrap gap-2">
      {isCuttable && (
        <Button kind={state === 'switched' ? 'secondary' : 'primary'} onClick={() => setAsking('cut-over')}>
          {state === 'switched' ? 'Cut over the rest' : 'Cut over'}
        </Button>
      )}
      {mayEnd && canUndo && (
        <Button onClick={() => setAsking('undo')}>{state === 'undoing' ? 'Try again' : 'Undo'}</Button>
      )}
      {mayEnd && (state === 'switched' || state === 'confirming') && (
        // Irreversible, so it is not the primary button.
        <Button onClick={() => setAsking('confirm')}>{state === 'confirming' ? 'Try again' : 'Confirm'}</Button>
      )}
      {asking === 'cut-over' && plan && <CutOverDialog project={project} plan={plan} onClose={onClose} />}
      {asking === 'undo' && <UndoDialog {...{ project, adoption, onOutcome, onClose }} />}
      {asking === 'confirm' && <ConfirmAdoptionDialog {...{ project, adoption, onOutcome, onClose }} />}
    </div>
  );
}
