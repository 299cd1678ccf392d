import { asSentence, sentenceOf } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

type Props = {
  command: string;
  message: string;
  change: { error: unknown; isPending: boolean };
  onRetry: () => void;
  onClose: () => void;
};

/** A login that is done in a terminal of the machine. */
export function TerminalDialog({ command, message, change, onRetry, onClose }: Props) {
  return (
    <Dialog title="Sign in with gh" lead={asSentence(message)} wide onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <CopyField label="Command" value={command} />
        {Boolean(change.error) && (
          <Notice kind="danger" alert>
            {sentenceOf(change.error)}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={change.isPending} onClick={onRetry}>
            I have signed in
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
