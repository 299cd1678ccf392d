import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  lead: ReactNode;
  label: string;
  value: string;
  onClose: () => void;
  children?: ReactNode;
};

/** Shows a value that is displayed only once, such as a token or a link. */
export function OnceDialog({ title, lead, label, value, onClose, children }: Props) {
  return (
    <Dialog title={title} lead={lead} stays onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <CopyField label={label} value={value} />
        <Notice kind="warn">Copy it now. It is not shown again.</Notice>
        {children}
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
