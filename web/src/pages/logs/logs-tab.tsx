import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { activeReleasesQuery } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { type LogsSearch, toProjectLogs } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { production } from '../projects/environments.ts';
import { useProject } from '../projects/project-layout.tsx';
import { LogViewer } from './log-viewer.tsx';

/** The output of the active releases, by environment, service and replica. */
export function LogsTab() {
  const project = useProject();
  const isSelfHosted = useIsSelfHosted();
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/projects/$id/logs' });
  const releases = useQuery(activeReleasesQuery(project.id));
  const choose = (chosen: LogsSearch) => void navigate({ ...toProjectLogs(project.id, chosen), replace: true });
  return (
    <RunsHereContent project={project}>
      <Loaded query={releases}>
        {(list) => {
          const active = list.filter((each) => !isSelfHosted || each.deployTarget !== 'cloud');
          const wanted = search.environment ?? production;
          const shown = active.find((each) => each.environment === wanted) ?? active[0];
          if (!shown) return <NothingRuns />;
          return (
            <div className="grid grid-cols-1 gap-3">
              {active.length > 1 && (
                <div className="w-48 max-w-full">
                  <SelectField
                    label="Environment"
                    name="environment"
                    options={active.map((each) => ({ value: each.environment, title: each.environment }))}
                    value={shown.environment}
                    onChange={(environment) => choose({ environment })}
                  />
                </div>
              )}
              <LogViewer
                key={shown.id}
                deploymentId={shown.id}
                services={shown.services.map(({ name }) => name)}
                replicas={project.replicas}
                filter={search}
                onFilter={(filter) => choose({ environment: search.environment, ...filter })}
                className="h-[max(22rem,calc(100dvh-19rem))]"
              />
            </div>
          );
        }}
      </Loaded>
    </RunsHereContent>
  );
}

const NothingRuns = () => (
  <EmptyState icon="audit" title="Nothing is running">
    Logs appear here once a deployment is active. The log of a build is on the page of its deployment.
  </EmptyState>
);
