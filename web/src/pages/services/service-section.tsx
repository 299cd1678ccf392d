import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  deploymentsOfQuery,
  isUnfinishedDeployment,
  deploymentPollMs,
  type Project,
  projectQuery,
  releasesQuery,
} from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { production } from '../projects/environments.ts';
import { pollMs, ReleaseServices } from './release-services.tsx';

/** The services that run in each environment, with their replicas. */
export function ServiceSection({ project }: { project: Project }) {
  const may = usePermissions();
  const isSelfHosted = useIsSelfHosted();
  const isAllowed = may('deployment:list') && may('deployment:read');
  const releases = useReleases(project.id, isAllowed);
  // Another person may scale it, too.
  useQuery({ ...projectQuery(project.id), enabled: isAllowed, refetchInterval: pollMs });
  if (!isAllowed) return null;
  return (
    <Section title="Services">
      <Loaded query={releases} lines={2}>
        {(list) => {
          // Releases in the cloud are scaled there.
          const active = list.filter((each) => each.active && !(isSelfHosted && each.deployTarget === 'cloud'));
          if (!active.length) return <NothingActive />;
          return (
            <div className="grid grid-cols-1 gap-6">
              {productionFirst(active).map(({ id, environment }) => (
                <ReleaseServices
                  key={environment}
                  project={project}
                  releaseId={id}
                  environment={environment}
                  isOnlyOne={active.length === 1}
                />
              ))}
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Reloads when another deployment has become active. */
function useReleases(projectId: string, enabled: boolean) {
  const queries = useQueryClient();
  const releases = useQuery({ ...releasesQuery(projectId), enabled });
  const newest = useQuery({
    ...deploymentsOfQuery(projectId),
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnfinishedDeployment) ? deploymentPollMs : pollMs),
  });
  const known = new Set(releases.data?.filter(({ active }) => active).map(({ id }) => id));
  const added = newest.data?.find(({ id, active }) => active && !known.has(id))?.id;
  useEffect(() => {
    if (added) void queries.invalidateQueries({ queryKey: releasesQuery(projectId).queryKey });
  }, [added, projectId, queries]);
  return releases;
}

const NothingActive = () => (
  <p className="text-sm text-muted">No services are running. They appear here once a deployment is active.</p>
);

const productionFirst = <T extends { environment: string }>(releases: T[]): T[] =>
  releases.toSorted(
    (one, other) =>
      Number(other.environment === production) - Number(one.environment === production) ||
      one.environment.localeCompare(other.environment),
  );
