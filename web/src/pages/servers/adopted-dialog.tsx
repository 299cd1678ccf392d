import { useNavigate } from '@tanstack/react-router';
import { toProject } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

type Props = { id: string; name: string; warnings: string[]; onClose: () => void };

/** The differences to the original, shown before the first deployment. */
export function AdoptedDialog({ id, name, warnings, onClose }: Props) {
  const navigate = useNavigate();
  return (
    <Dialog title={`${name} created`} lead="Some settings cannot be taken over as they are:" onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <Notice kind="warn">
          <ul className="grid gap-1 text-ink">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Stay here</Button>
          <Button kind="primary" onClick={() => void navigate(toProject(id))}>
            Go to the project
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
