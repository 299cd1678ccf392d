import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { activeReleasesQuery, deploymentsOfQuery, isUnfinishedDeployment } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { orphansQuery, type Volume, volumesQuery } from '../../volume-queries.ts';
import { AddVolumeDialog } from './add-volume-dialog.tsx';
import { ApplyNotice } from '../projects/apply-notice.tsx';
import { RemovedVolumeNotice } from './removed-notice.tsx';
import { VolumeTable } from './volume-table.tsx';
import { type VolumeTask, VolumeTaskDialog } from './volume-task-dialog.tsx';
import { volumeKey, waitingTitle } from './volume-words.ts';

/** The volumes of a project, and kept data that is not mounted. */
export function VolumeSection({ projectId }: { projectId: string }) {
  const may = usePermissions();
  const volumes = useVolumes(projectId);
  const orphans = useQuery(orphansQuery(projectId));
  const [isAdding, setIsAdding] = useState(false);
  const [task, setTask] = useState<VolumeTask>();
  const [removed, setRemoved] = useState<Volume>();
  const hasSome = Boolean(volumes.data?.length);
  const button = may('project:write') && (
    <Button size={hasSome ? 'small' : 'normal'} onClick={() => setIsAdding(true)} className="text-ink">
      <Icon name="plus" size={16} />
      Add volume
    </Button>
  );
  return (
    <Section title="Volumes" aside={hasSome ? button : undefined}>
      {/* A live region has to exist before it is filled. */}
      <p role="status" className="sr-only">
        {removed && `${removed.name} is removed`}
      </p>
      <div className="grid grid-cols-1 gap-3">
        {removed && (
          <RemovedVolumeNotice
            key={volumeKey(removed)}
            projectId={projectId}
            volume={removed}
            onClose={() => setRemoved(undefined)}
          />
        )}
        {changesByEnvironment(volumes.data, orphans.data).map(([environment, waiting]) => (
          <ApplyNotice
            key={environment}
            projectId={projectId}
            environment={environment}
            title={waitingTitle(waiting, environment)}
          />
        ))}
        <Loaded query={volumes} lines={2}>
          {(list) =>
            list.length ? (
              <VolumeTable projectId={projectId} volumes={list} onTask={setTask} />
            ) : (
              <EmptyState icon="volume" title="No volumes" action={button}>
                Files that your app writes are lost with the next deployment, unless they are in a volume. Add one for
                uploads, SQLite files and other data.
              </EmptyState>
            )
          }
        </Loaded>
        {orphans.data && orphans.data.length > 0 && (
          <Orphans projectId={projectId} orphans={orphans.data} onTask={setTask} />
        )}
      </div>
      {isAdding && <AddVolumeDialog projectId={projectId} onClose={() => setIsAdding(false)} />}
      {task && (
        <VolumeTaskDialog projectId={projectId} task={task} onRemoved={setRemoved} onClose={() => setTask(undefined)} />
      )}
    </Section>
  );
}

type OrphanProps = { projectId: string; orphans: Volume[]; onTask: (task: VolumeTask) => void };

const Orphans = ({ projectId, orphans, onTask }: OrphanProps) => (
  <div className="mt-3">
    <h3 className="font-medium">Unused data</h3>
    <p className="mt-0.5 mb-3 text-sm text-muted">Kept from volumes that were removed. Mount it again or delete it.</p>
    <VolumeTable projectId={projectId} volumes={orphans} isOrphan onTask={onTask} />
  </div>
);

/** Reloads when a deployment has ended, because it mounts newly added volumes. */
function useVolumes(projectId: string) {
  const may = usePermissions();
  const queries = useQueryClient();
  const deployments = useQuery({ ...deploymentsOfQuery(projectId), enabled: may('deployment:list') });
  const isDeploying = deployments.data?.some(isUnfinishedDeployment) ?? false;
  const wasDeploying = useRef(false);
  useEffect(() => {
    if (wasDeploying.current && !isDeploying)
      for (const { queryKey } of [volumesQuery(projectId), activeReleasesQuery(projectId)])
        void queries.invalidateQueries({ queryKey });
    wasDeploying.current = isDeploying;
  }, [isDeploying, projectId, queries]);
  return useQuery(volumesQuery(projectId));
}

/** Volumes that the next deployment mounts, moves or unmounts. */
function changesByEnvironment(volumes: Volume[] = [], orphans: Volume[] = []): [string, Volume[]][] {
  const waiting = [
    ...volumes.filter(({ pending }) => pending),
    ...orphans.filter(({ origin, inUse }) => origin === 'project' && inUse),
  ];
  return [...Map.groupBy(waiting, ({ environment }) => environment)];
}
