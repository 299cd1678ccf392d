import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { type BackupKey, backupKeysQuery, policiesQuery } from '../../backup-queries.ts';
import { toBackups } from '../../paths.ts';
import { useIsRestricted, usePermissions } from '../../permissions.ts';
import { saveFile } from '../../save-file.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';

const columns: Column<BackupKey>[] = [
  {
    title: 'Recipient',
    place: 'lead',
    cell: ({ recipient }) => <CopyText label="Copy the recipient" text={recipient} />,
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Exported',
    cell: ({ exportedAt }) => (exportedAt ? <Time at={exportedAt} /> : <Badge kind="warn">Never</Badge>),
  },
];

/** The keys that archives are encrypted with; nothing while there are none. */
export function KeysSection() {
  const keys = useQuery(backupKeysQuery);
  const may = usePermissions();
  const mayExport = may('backup:admin') && !useIsRestricted();
  if (keys.data?.length === 0) return null;
  return (
    <div id="keys" className="scroll-mt-6">
      <Section title="Backup keys" aside={mayExport && <KeyActions />}>
        <p className="mb-3 max-w-2xl text-sm text-muted">
          New archives are encrypted with the newest key; every key decrypts. Without the keys nothing is recoverable:
          export them, and keep the file apart from Mooring and from the backups.
        </p>
        <Loaded query={keys} lines={1}>
          {(list) => <Table label="Backup keys" rows={list} keyOf={({ recipient }) => recipient} columns={columns} />}
        </Loaded>
      </Section>
    </div>
  );
}

function KeyActions() {
  const toast = useToast();
  const [task, setTask] = useState<'export' | 'rotate'>();
  const close = () => setTask(undefined);
  const save = useChange(async () => {
    const { data } = await unwrap(client.POST('/api/backup-keys/export'));
    saveFile(new Blob([data.identities], { type: 'text/plain' }), 'backup-keys.txt');
    toast('Keys exported');
    close();
  });
  const rotate = useChange(async () => {
    await unwrap(client.POST('/api/backup-keys/rotate'));
    toast('New archives use a new key. Export the keys again');
    close();
  });
  return (
    <span className="flex gap-2 text-ink">
      <Button size="small" onClick={() => setTask('rotate')}>
        Rotate key
      </Button>
      <Button size="small" onClick={() => setTask('export')}>
        Export keys
      </Button>
      {task === 'export' && (
        <ConfirmDialog
          title="Export the backup keys?"
          confirm="Export keys"
          kind="primary"
          change={save}
          onConfirm={() => save.mutate(undefined)}
          onClose={close}
        >
          Whoever has the file can read every backup of the organization. Keep it apart from Mooring and from the
          backups, such as in a password manager.
        </ConfirmDialog>
      )}
      {task === 'rotate' && (
        <ConfirmDialog
          title="Rotate the backup key?"
          confirm="Rotate key"
          kind="primary"
          change={rotate}
          onConfirm={() => rotate.mutate(undefined)}
          onClose={close}
        >
          New archives are encrypted with a new key. Earlier keys stay, because earlier archives need them. Export the
          keys again afterwards.
        </ConfirmDialog>
      )}
    </span>
  );
}

/** Encrypted archives are lost with Mooring unless the key is kept elsewhere. */
export function KeyWarning() {
  const may = usePermissions();
  const isRestricted = useIsRestricted();
  const { data: keys = [] } = useQuery(backupKeysQuery);
  const { data: policies = [] } = useQuery(policiesQuery());
  const isNeeded = policies.some(({ encryption }) => encryption.enabled);
  const isMissing = isNeeded && keys.some(({ exportedAt }) => exportedAt === null);
  if (!isMissing || !may('backup:admin') || isRestricted) return null;
  return (
    <Notice kind="warn">
      <p className="text-ink">
        A backup key was never exported. If Mooring is lost, so is every backup that it encrypts.{' '}
        <Link {...toBackups('keys')} className="underline">
          Export the keys
        </Link>
      </p>
    </Notice>
  );
}
