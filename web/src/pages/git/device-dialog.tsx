import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { sentenceOf } from '../../api.ts';
import { devicePollQuery } from '../../githost-queries.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { useCopied } from '../../ui/copied.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { hostOf } from './git-words.ts';

type Props = { isRestarting: boolean; onRestart: () => void; onConnected: () => void; onClose: () => void };

const endings = {
  none: 'This sign-in is no longer open.',
  expired: 'The code expired before it was entered.',
  denied: 'Access was denied at the git host.',
  connected: '',
};

/** A device login. All its state comes from the poll, so it survives a reload. */
export function DeviceDialog({ isRestarting, onRestart, onConnected, onClose }: Props) {
  const poll = useQuery(devicePollQuery);
  const isConnected = poll.data?.status === 'connected';
  const finish = useEffectEvent(onConnected);
  useEffect(() => {
    if (isConnected) finish();
  }, [isConnected]);
  return (
    <Dialog
      title="Sign in with a code"
      lead="Open the git host, enter the code and approve the access. Keep this page open meanwhile."
      onClose={onClose}
    >
      <Loaded query={poll}>
        {(data) =>
          data.status === 'pending' ? (
            <Pending code={data.userCode!} url={data.verificationUri!} expiresAt={data.expiresAt!} error={poll.error} />
          ) : (
            <div className="grid gap-5">
              {data.status !== 'connected' && (
                <Notice kind="warn" alert>
                  {endings[data.status]} Nothing was connected.
                </Notice>
              )}
              <div className="flex flex-wrap justify-end gap-2">
                <Button onClick={onClose}>Cancel</Button>
                <Button kind="primary" busy={isRestarting} onClick={onRestart}>
                  Get a new code
                </Button>
              </div>
            </div>
          )
        }
      </Loaded>
    </Dialog>
  );
}

type PendingProps = { code: string; url: string; expiresAt: string; error: unknown };

function Pending({ code, url, expiresAt, error }: PendingProps) {
  const shown = useRef<HTMLElement>(null);
  const [isCopied, copy] = useCopied();
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken px-4 py-3">
        <code ref={shown} aria-label="Code" className="font-mono text-2xl tracking-widest">
          {code}
        </code>
        <Button onClick={() => void copy(shown.current!)} className="min-w-25">
          <Icon name={isCopied ? 'check' : 'copy'} size={16} />
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
      <a href={url} target="_blank" rel="noreferrer" className={buttonLook({ kind: 'primary' })}>
        Open {hostOf(url)}
        <Icon name="external" size={16} />
        <span className="sr-only">(opens in a new tab)</span>
      </a>
      {Boolean(error) && (
        <Notice kind="warn" alert>
          {sentenceOf(error)}
        </Notice>
      )}
      <div role="status">
        <Waiting>
          Waiting for the code, which expires <Time at={expiresAt} />.
        </Waiting>
      </div>
    </div>
  );
}
