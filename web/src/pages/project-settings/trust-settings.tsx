import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deploymentsOfQuery, useSession } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { SettingsGroup } from './settings-group.tsx';
import type { SettingsProps } from './save-settings.ts';

const allowed = [
  'Privileged mode, more capabilities, and weaker isolation',
  'Networks, processes and devices of the machine',
  'Folders outside the source, and the Docker socket',
  'Volumes and networks of other projects',
];

/** Access to the machine. The owner of the instance can grant it; others see why a deployment was refused. */
export function TrustSettings(of: SettingsProps) {
  const { user } = useSession();
  const refused = useRefusedAccess(of.project.id);
  const [isTrusted, setIsTrusted] = useState(of.project.trusted);
  if (!user.isInstanceOwner)
    return refused.length ? (
      <Section title="Trust">
        <Card className="grid gap-4 p-5 text-sm">
          <RefusedAccess refused={refused} />
          <p className="text-muted">Only the owner of this instance can trust the project.</p>
        </Card>
      </Section>
    ) : null;
  return (
    <SettingsGroup
      {...of}
      title="Trust"
      read={() => ({ trusted: isTrusted })}
      lead={
        <div className="grid gap-3">
          <p>A trusted project can use, if its compose file asks for it:</p>
          <ul className="grid list-disc gap-1 pl-5">
            {allowed.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
          <p>Everyone who can deploy it can take over the machine.</p>
          {refused.length > 0 && !of.project.trusted && <RefusedAccess refused={refused} />}
        </div>
      }
    >
      <Checkbox checked={isTrusted} onChange={setIsTrusted}>
        This project is trusted
      </Checkbox>
    </SettingsGroup>
  );
}

/** What the newest deployment was refused for. */
function useRefusedAccess(projectId: string): string[] {
  const { data } = useQuery({ ...deploymentsOfQuery(projectId), enabled: usePermissions()('deployment:list') });
  const error = data?.[0]?.error;
  return error?.code === 'not_trusted' ? error.message.split('\n').slice(1) : [];
}

const RefusedAccess = ({ refused }: { refused: string[] }) => (
  <Notice kind="warn">
    <p className="font-medium">The last deployment was refused, because it asks for this:</p>
    <ul className="mt-1 grid list-disc gap-1 pl-5">
      {refused.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  </Notice>
);
