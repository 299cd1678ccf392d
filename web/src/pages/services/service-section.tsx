import { useQuery } from '@tanstack/react-query';
import { activeReleasesQuery, type Project, projectQuery } from '../../api.ts';
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
  const releases = useQuery({ ...activeReleasesQuery(project.id), enabled: isAllowed, refetchInterval: pollMs });
  // Another person may scale it, too.
  useQuery({ ...projectQuery(project.id), enabled: isAllowed, refetchInterval: pollMs });
  if (!isAllowed) return null;
  return (
    <Section title="Services">
      <Loaded query={releases} lines={2}>
        {(list) => {
          // Releases in the cloud are scaled there.
          const active = list.filter((each) => !isSelfHosted || each.deployTarget !== 'cloud');
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

const NothingActive = () => (
  <p className="text-sm text-muted">No services are running. They appear here once a deployment is active.</p>
);

const productionFirst = <T extends { environment: string }>(releases: T[]): T[] =>
  releases.toSorted(
    (one, other) =>
      Number(other.environment === production) - Number(one.environment === production) ||
      one.environment.localeCompare(other.environment),
  );
