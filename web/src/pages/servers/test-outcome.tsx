import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { asSentence, client, useChange } from '../../api.ts';
import { useMay } from '../../permissions.ts';
import type { Server, ServerCheck } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useServerTest } from './server-test.ts';

const remedies: Record<NonNullable<ServerCheck['code']>, string> = {
  unreachable:
    'Check the host and the SSH port, that the machine is on and its SSH server runs, and that no firewall is in between.',
  refused: 'This instance does not connect to addresses of this kind. Give the server another one.',
  timeout: 'Often a firewall says nothing instead of no. Check that it lets Mooring through to the SSH port.',
  auth_failed: 'Check the user, and that the key or password is the one that the server knows.',
  host_key_changed:
    'If the machine was set up anew, forget the key of before. If not, find out first: somebody may be in between.',
  misconfigured: 'Edit the server, and give its key and passphrase again.',
  no_commands: 'Give the user a login shell that runs commands, such as /bin/sh.',
};

/** What a test found that somebody has to see to; nothing where all is well. */
export function TestOutcome({ server }: { server: Server }) {
  const check = server.lastCheck;
  if (!check) return null;
  if (check.ok) return check.engine?.available ? null : <NoEngine server={server} />;
  return (
    <Notice kind="danger" alert>
      <p className="font-medium">
        {check.code === 'host_key_changed'
          ? 'The server shows another host key than before'
          : 'The last test did not work'}
      </p>
      {/* The way out that the API names is the button below. */}
      <p className="text-ink">{asSentence((check.reason ?? '').replace(/\. If it was you, forget.*$/, ''))}</p>
      {check.code && (
        <p className="mt-1 text-ink">
          <span className="font-medium">What to do:</span> {remedies[check.code]}
        </p>
      )}
      {check.code === 'host_key_changed' && <ForgetKey server={server} />}
    </Notice>
  );
}

const NoEngine = ({ server: { kind, lastCheck } }: { server: Server }) => (
  <Notice kind="warn" alert>
    <p className="font-medium">
      {kind === 'ssh' ? 'Mooring is let in, but cannot run anything there' : 'No container engine answers here'}
    </p>
    <p className="text-ink">{asSentence(lastCheck?.engine?.reason ?? 'there is no container engine')}</p>
    <p className="mt-1 text-ink">
      <span className="font-medium">What to do:</span> Install Docker, or let the user use it, and test again.
    </p>
  </Notice>
);

/** Until then nothing is sent there: neither a password nor what is deployed. */
function ForgetKey({ server: { id, name, hostKeyFingerprint } }: { server: Server }) {
  const may = useMay();
  const test = useServerTest(id);
  const [isAsking, setIsAsking] = useState(false);
  const forget = useChange(async () => {
    const params = { path: { id } };
    await unwrap(client.PATCH('/api/servers/{id}', { params, body: { hostKey: null } }));
    setIsAsking(false);
    test.begin();
  });
  return (
    <>
      {hostKeyFingerprint && (
        <p className="mt-1 text-ink">
          Known from before: <code className="font-mono text-xs">{hostKeyFingerprint}</code>
        </p>
      )}
      {may('server:write') && (
        <Button size="small" className="mt-3 text-ink" onClick={() => setIsAsking(true)}>
          Forget the key of before
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Forget the host key of ${name}?`}
          confirm="Forget and test"
          change={forget}
          onConfirm={() => forget.mutate(undefined)}
          onClose={() => setIsAsking(false)}
        >
          The key that the machine shows next is then taken for its own. Do this only if you know why it changed, such
          as after setting the machine up anew.
        </ConfirmDialog>
      )}
    </>
  );
}
