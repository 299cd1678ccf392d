import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { sentenceOf } from '../api.ts';
import { Button } from './button.tsx';
import { Notice, RequestId } from './notice.tsx';
import { useReturnFocus } from './return-focus.ts';

type Change = { error: unknown; isPending: boolean };
type Props = {
  title: string;
  children: ReactNode;
  /** More than a sentence, such as a list of affected items or the last error. */
  details?: ReactNode;
  confirm: string;
  /** The label of the button that closes the dialog without a change. */
  dismiss?: string | undefined;
  /** False while required fields are empty. */
  isReady?: boolean;
  /** The style of the button; a change that can be undone is not dangerous. */
  kind?: 'danger' | 'primary';
  change: Change;
  onConfirm: () => void;
  onClose: () => void;
};

/** Confirms a change that cannot be undone. Stays open until the change has succeeded. */
export function ConfirmDialog({
  title,
  children,
  details,
  confirm,
  dismiss = 'Cancel',
  isReady = true,
  kind = 'danger',
  change,
  onConfirm,
  onClose,
}: Props) {
  const returnFocus = useReturnFocus();
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 grid animate-fade place-items-center overflow-y-auto bg-[rgb(6_16_22/0.55)] p-3 sm:p-6">
          <AlertDialog.Content
            onCloseAutoFocus={returnFocus}
            className="w-full max-w-md animate-rise rounded-2xl border border-line bg-raised p-5 shadow-float sm:p-6"
          >
            <AlertDialog.Title className="text-lg font-semibold tracking-tight [overflow-wrap:anywhere]">
              {title}
            </AlertDialog.Title>
            <AlertDialog.Description className="mt-2 text-muted [overflow-wrap:anywhere]">
              {children}
            </AlertDialog.Description>
            {details && <div className="mt-4">{details}</div>}
            <div className="mt-6 grid gap-4">
              {Boolean(change.error) && (
                <Notice kind="danger" alert>
                  {sentenceOf(change.error)}
                  <RequestId of={change.error} />
                </Notice>
              )}
              <div className="flex flex-wrap justify-end gap-2">
                <AlertDialog.Cancel asChild>
                  <Button>{dismiss}</Button>
                </AlertDialog.Cancel>
                <Button kind={kind} busy={change.isPending} disabled={!isReady} onClick={onConfirm}>
                  {confirm}
                </Button>
              </div>
            </div>
          </AlertDialog.Content>
        </AlertDialog.Overlay>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
