import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Sentences } from './plan-notes.tsx';

/** The result of an undo or a confirmation. */
export interface AdoptionOutcome {
  kind: 'undo' | 'confirm';
  containers: string[];
  warnings: string[];
}

export function OutcomeNotice({
  outcome: { kind, containers, warnings },
  onClose,
}: {
  outcome: AdoptionOutcome;
  onClose: () => void;
}) {
  const names = containers.join(', ') || 'nothing';
  return (
    <Notice kind={warnings.length ? 'warn' : 'good'} alert>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="font-medium">{kind === 'undo' ? `Restored: ${names}.` : `Removed: ${names}.`}</p>
          {warnings.length > 0 && <Sentences all={warnings} />}
        </div>
        <Button size="small" className="text-ink" onClick={onClose}>
          Close
        </Button>
      </div>
    </Notice>
  );
}
