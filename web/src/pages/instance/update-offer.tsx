import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import type { InstanceUpdate } from '../../update-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

const elsewhere: Record<Exclude<InstanceUpdate['method'], 'dashboard'>, string> = {
  image: 'Mooring runs from a container image: pull the new image and recreate the container.',
  checkout: 'Mooring was not installed with install.sh: update its checkout and restart the service.',
};

/** The button that starts an update, or how else this installation is updated. */
export function UpdateOffer({ data: { isNewer, latestVersion, method } }: { data: InstanceUpdate }) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isNewer || !latestVersion) return null;
  if (method !== 'dashboard')
    return (
      <Notice>
        Mooring {latestVersion} is available. {elsewhere[method]}
      </Notice>
    );
  return (
    <div>
      <Button kind="primary" onClick={() => setIsAsking(true)}>
        Update to {latestVersion}
      </Button>
      {isAsking && <UpdateDialog version={latestVersion} onClose={() => setIsAsking(false)} />}
    </div>
  );
}

function UpdateDialog({ version, onClose }: { version: string; onClose: () => void }) {
  const start = useChange(async () => {
    await unwrap(client.POST('/api/instance/update', { body: { version } }));
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Update Mooring to ${version}?`}
      confirm={`Update to ${version}`}
      kind="primary"
      change={start}
      onConfirm={() => start.mutate(undefined)}
      onClose={onClose}
      details={
        <ul className="grid list-disc gap-1 pl-5 text-sm text-muted">
          <li>The dashboard and the API are away for a few seconds.</li>
          <li>Deployed apps keep serving. Running deployments continue afterwards.</li>
          <li>If {version} does not become healthy, Mooring goes back by itself, with its database.</li>
        </ul>
      }
    >
      Mooring downloads the new version, checks its signature, copies the database and restarts.
    </ConfirmDialog>
  );
}
