import type { ReactNode } from 'react';
import { sentenceOf } from '../api.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  children: ReactNode;
  undo: { isPending: boolean; isError: boolean; error: unknown };
  onUndo: () => void;
  onClose: () => void;
};

/** Stays until it is closed, to leave time to undo a removal. */
export function UndoNotice({ title, children, undo, onUndo, onClose }: Props) {
  return (
    <Notice>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium">{title}</p>
          <p>{children}</p>
        </div>
        <div className="flex gap-2">
          <Button size="small" busy={undo.isPending} onClick={onUndo}>
            Undo
          </Button>
          <Button size="small" kind="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
      {undo.isError && (
        <p role="alert" className="mt-1.5 font-medium text-danger">
          {sentenceOf(undo.error)}
        </p>
      )}
    </Notice>
  );
}
