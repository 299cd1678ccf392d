import { useEffect, useEffectEvent, useState } from 'react';
import type { GitStatus } from '../../githost-queries.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { hostOf } from './git-words.ts';

type Props = { url: string; status: GitStatus; onConnected: () => void; onClose: () => void };

const reachOf = ({ state, accounts }: GitStatus) =>
  state === 'connected' ? accounts.map(({ login, sources }) => `${login} ${sources.join()}`).join() : '';

/** Opens the git host in another tab. The status updates here once the person returns. */
export function RedirectDialog({ url, status, onConnected, onClose }: Props) {
  const [before] = useState(() => reachOf(status));
  const [isOpened, setIsOpened] = useState(false);
  const now = reachOf(status);
  const isConnected = now !== '' && now !== before;
  const finish = useEffectEvent(onConnected);
  useEffect(() => {
    if (isConnected) finish();
  }, [isConnected]);
  const host = hostOf(url);
  return (
    <Dialog
      title={`Continue at ${host}`}
      lead={`Choose there which repositories Mooring may use, and approve the access. The link works for ten minutes, in this browser.`}
      onClose={onClose}
    >
      <div className="grid gap-5">
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          onClick={() => setIsOpened(true)}
          className={buttonLook({ kind: isOpened ? 'secondary' : 'primary' })}
        >
          Open {host}
          <Icon name="external" size={16} />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
        <div role="status" className={isOpened ? '' : 'sr-only'}>
          {isOpened && <Waiting>Waiting for the approval at {host} …</Waiting>}
        </div>
        <div className="flex justify-end">
          <Button onClick={onClose}>{isOpened ? 'Close' : 'Cancel'}</Button>
        </div>
      </div>
    </Dialog>
  );
}
