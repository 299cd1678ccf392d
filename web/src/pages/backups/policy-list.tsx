import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { projectsQuery } from '../../api.ts';
import { policiesQuery, type Policy } from '../../backup-queries.ts';
import { destinationsQuery } from '../../destination-queries.ts';
import { toDestinations } from '../../paths.ts';
import { ProjectContext, useIsRestricted, usePermissions } from '../../permissions.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { ImportButton } from './import-dialog.tsx';
import { AddPolicyDialog, PolicyTaskDialog } from './policy-dialogs.tsx';
import { PolicyItem, type PolicyTask } from './policy-item.tsx';

/** The backup policies of one project or of all. Leads to a destination first, if there is none. */
export function PolicyList({ projectId }: { projectId?: string }) {
  const may = usePermissions();
  const policies = useQuery(policiesQuery(projectId));
  const [task, setTask] = useState<PolicyTask | { kind: 'add' }>();
  const hasSome = Boolean(policies.data?.length);
  const close = () => setTask(undefined);
  const button = may('backup:write') && (
    <Button size={hasSome ? 'small' : 'normal'} onClick={() => setTask({ kind: 'add' })} className="text-ink">
      <Icon name="plus" size={16} />
      Add policy
    </Button>
  );
  return (
    <Section
      title="Policies"
      aside={
        <span className="flex flex-wrap justify-end gap-2">
          <ImportButton projectId={projectId} />
          {hasSome && button}
        </span>
      }
    >
      <Loaded query={policies} lines={3}>
        {(list) =>
          list.length ? (
            <Policies policies={list} isOfOne={projectId !== undefined} onTask={setTask} />
          ) : (
            <NoPolicies button={button} />
          )
        }
      </Loaded>
      {task?.kind === 'add' && <AddPolicyDialog projectId={projectId} onClose={close} />}
      {task && task.kind !== 'add' && <PolicyTaskDialog task={task} onClose={close} />}
    </Section>
  );
}

type ListProps = { policies: Policy[]; isOfOne: boolean; onTask: (task: PolicyTask) => void };

function Policies({ policies, isOfOne, onTask }: ListProps) {
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: !isOfOne });
  return (
    <Card>
      <ul aria-label="Backup policies" className="divide-y divide-line">
        {policies.map((policy) => (
          // Restricted members may change the policies of some projects only.
          <ProjectContext key={policy.id} value={policy.projectId ?? undefined}>
            <PolicyItem
              policy={policy}
              project={isOfOne ? undefined : projects.find(({ id }) => id === policy.projectId)}
              onTask={onTask}
            />
          </ProjectContext>
        ))}
      </ul>
    </Card>
  );
}

/** Without a destination, a policy cannot be added. */
function NoPolicies({ button }: { button: React.ReactNode }) {
  const may = usePermissions();
  const mayAdd = may('backup_destination:write') && !useIsRestricted();
  const { data: destinations } = useQuery({ ...destinationsQuery, enabled: may('backup_destination:list') });
  if (destinations?.length === 0)
    return (
      <EmptyState
        icon="backup"
        title="Add a destination first"
        action={
          mayAdd && (
            <Link {...toDestinations({ add: true })} className={buttonLook({ kind: 'primary' })}>
              Add destination
            </Link>
          )
        }
      >
        Backups are stored outside of your apps: in an S3-compatible bucket, on an SFTP server, on another server of
        yours, or in a folder on this machine.
      </EmptyState>
    );
  return (
    <EmptyState icon="history" title="Nothing is backed up yet" action={button}>
      A policy backs up the volumes and databases of a project by a schedule, verifies what it stored, and can prove
      that the backups restore.
    </EmptyState>
  );
}
