import { unwrap } from '@mooring/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../../api.ts';
import { type ConnectAnswer, devicePollQuery, type GitStatus } from '../../githost-queries.ts';
import { toGit } from '../../paths.ts';
import { useToast } from '../../ui/toast.tsx';
import { DeviceDialog } from './device-dialog.tsx';
import { RedirectDialog } from './redirect-dialog.tsx';
import { TerminalDialog } from './terminal-dialog.tsx';

export type ConnectSource = 'oauth' | 'cli' | 'app';
type Open = Extract<ConnectAnswer, { flow: 'redirect' | 'terminal' }>;

/** Connects the git host by the flow that the API responds with. `dialog` is the page element of that flow. */
export function useConnect(status: GitStatus) {
  const queries = useQueryClient();
  const toast = useToast();
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/git' });
  const [open, setOpen] = useState<Open>();
  const showDevice = (connect: 'device' | undefined) => navigate({ ...toGit({ ...search, connect }), replace: true });
  const done = () => {
    toast('Git host connected');
    setOpen(undefined);
    void showDevice(undefined);
    void queries.invalidateQueries();
  };
  const connect = useMutation({
    mutationFn: (source: ConnectSource | undefined) =>
      unwrap(client.POST('/api/githost/connect', { body: source ? { source } : {} })),
    onSuccess(answer) {
      if (answer.connected) return done();
      if (answer.flow !== 'device_code') return setOpen(answer);
      const { userCode, verificationUri, expiresAt, intervalSeconds } = answer;
      const pending = { status: 'pending' as const, userCode, verificationUri, expiresAt, intervalSeconds };
      queries.setQueryData(devicePollQuery.queryKey, pending);
      void showDevice('device');
    },
  });
  const begin = (source?: ConnectSource) => connect.mutate(source);
  const close = () => setOpen(undefined);

  let dialog: ReactNode = null;
  if (search.connect === 'device')
    dialog = (
      <DeviceDialog
        isRestarting={connect.isPending}
        onRestart={() => begin()}
        onConnected={done}
        onClose={() => void showDevice(undefined)}
      />
    );
  else if (open?.flow === 'redirect')
    dialog = <RedirectDialog url={open.url} status={status} onConnected={done} onClose={close} />;
  else if (open?.flow === 'terminal')
    dialog = <TerminalDialog {...open} change={connect} onRetry={() => begin('cli')} onClose={close} />;
  return { begin, isPending: connect.isPending, error: open ? null : connect.error, dialog };
}
