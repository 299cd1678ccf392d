import { asSentence } from '../api.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

type Props = { title: string; lead: string; warnings: string[]; onClose: () => void };

/** The completed change and its warnings. */
export const WarningsDialog = ({ title, lead, warnings, onClose }: Props) => (
  <Dialog title={title} lead={lead} onClose={onClose}>
    <Notice kind="warn">
      <ul className="grid gap-1 text-ink">
        {warnings.map((warning) => (
          <li key={warning}>{asSentence(warning)}</li>
        ))}
      </ul>
    </Notice>
    <div className="mt-5 flex justify-end">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
);
