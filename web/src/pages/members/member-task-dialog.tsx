import type { Member } from '../../api.ts';
import { GrantsDialog } from './grants-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { ResetDialog } from './reset-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

export type MemberTask = { kind: 'role' | 'grants' | 'reset' | 'remove'; member: Member };

/** The dialog of the chosen menu action. */
export function MemberTaskDialog({ task, onTask }: { task: MemberTask; onTask: (task?: MemberTask) => void }) {
  const { kind, member } = task;
  const onClose = () => onTask(undefined);
  if (kind === 'role')
    return (
      <RoleDialog
        member={member}
        onClose={onClose}
        onRestricted={(changed) => onTask({ kind: 'grants', member: changed })}
      />
    );
  if (kind === 'grants') return <GrantsDialog member={member} onClose={onClose} />;
  if (kind === 'reset') return <ResetDialog member={member} onClose={onClose} />;
  return <RemoveDialog member={member} onClose={onClose} />;
}
