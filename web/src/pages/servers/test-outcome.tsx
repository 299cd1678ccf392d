import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { asSentence, client, useChange } from '../../api.ts';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { useResourcePermissions } from '../../permissions.ts';
import type { Server, ServerCheck } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { currentWay, newCredentialsIn, type SignInWay } from './server-settings.ts';
import { useServerTest } from './server-test.ts';

const remedies: Record<NonNullable<ServerCheck['code']>, string> = {
  unreachable:
    'Check the host and the SSH port, that the machine is on and its SSH server runs, and that no firewall is in between.',
  refused: 'This instance does not connect to addresses of this kind. Use another address of the server.',
  timeout: 'A firewall may drop the connection. Check that it allows connections to the SSH port.',
  auth_failed: 'Check the user, and that the server accepts the key or password.',
  host_key_changed:
    'If you reinstalled the machine, pin its new host key. If not, find out why first: somebody may intercept the connection.',
  misconfigured: 'Edit the server and enter its key and passphrase again.',
  no_commands: 'Give the user a login shell that runs commands, such as /bin/sh.',
};

/** The problem that the last test found, with the fix. Renders nothing if there is none. */
export function TestOutcome({ server }: { server: Server }) {
  const check = server.lastCheck;
  if (!check) return null;
  if (check.ok) return check.engine?.available ? null : <NoEngine server={server} />;
  return (
    <Notice kind="danger" alert>
      <p className="font-medium">
        {check.code === 'host_key_changed' ? 'The host key of the server has changed' : 'The last test failed'}
      </p>
      {/* The fix that the API suggests is the button below. */}
      <p className="text-ink">{asSentence((check.reason ?? '').replace(/\. If you reinstalled .*$/, ''))}</p>
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
      {kind === 'ssh' ? 'The sign-in works, but Docker does not' : 'Docker does not respond on this machine'}
    </p>
    <p className="text-ink">{asSentence(lastCheck?.engine?.reason ?? 'there is no container engine')}</p>
    <p className="mt-1 text-ink">
      <span className="font-medium">What to do:</span> Install Docker, or add the user to the docker group, then test
      again.
    </p>
  </Notice>
);

/** Nothing is sent to the machine until the new key is pinned. */
function ForgetKey({ server }: { server: Server }) {
  const mayOn = useResourcePermissions();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      {server.hostKeyFingerprint && (
        <p className="mt-1 text-ink">
          Pinned host key: <code className="font-mono text-xs">{server.hostKeyFingerprint}</code>
        </p>
      )}
      {mayOn('server', server.id, 'write') && (
        <Button size="small" className="mt-3 text-ink" onClick={() => setIsAsking(true)}>
          Pin the new host key
        </Button>
      )}
      {isAsking && <ForgetKeyDialog server={server} onClose={() => setIsAsking(false)} />}
    </>
  );
}

/** The stored credentials belong to the forgotten host key, so they have to be entered again. */
function ForgetKeyDialog({ server, onClose }: { server: Server; onClose: () => void }) {
  const { id, name } = server;
  const test = useServerTest(id);
  const [way, setWay] = useState<SignInWay>(currentWay(server));
  const forget = useChange(async (value: FormValues) => {
    const params = { path: { id } };
    await unwrap(
      client.PATCH('/api/servers/{id}', { params, body: { ...newCredentialsIn(way, value), hostKey: null } }),
    );
    onClose();
    test.begin();
  });
  return (
    <Dialog
      title={`Pin the new host key of ${name}?`}
      lead="Mooring then trusts the key that the machine shows next. Do this only if you know why it changed, for example after a reinstall. The stored credentials belong to the previous key, so enter them again."
      onClose={onClose}
    >
      <Form change={forget} onSubmit={(value) => forget.mutate(value)}>
        <CredentialFields way={way} onChange={setWay} />
        <FormActions submit="Pin and test">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
