import type { Server } from '../../server-queries.ts';
import { EditServerDialog } from './edit-server-dialog.tsx';
import { RemoveServerDialog } from './remove-server-dialog.tsx';

export type ServerTask = { kind: 'edit' | 'remove'; server: Server };

type Props = { task: ServerTask; onClose: () => void };

/** The dialog of the chosen menu action. */
export const ServerTaskDialog = ({ task: { kind, server }, onClose }: Props) =>
  kind === 'edit' ? (
    <EditServerDialog server={server} onClose={onClose} />
  ) : (
    <RemoveServerDialog server={server} onClose={onClose} />
  );
