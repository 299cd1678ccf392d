import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { deploymentQuery, deploymentPollMs, type Project, stepsQuery } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { containersQuery, usageQuery } from '../../service-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Skeleton } from '../../ui/loaded.tsx';
import { Failure } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { LogViewer } from '../logs/log-viewer.tsx';
import { ReplicaTable } from './replica-table.tsx';
import { ScaleDialog } from './scale-dialog.tsx';
import { ScaleProgress, type Scaling } from './scale-progress.tsx';
import { isSettled, type ServiceState, replicaStatesOf } from './service-state.ts';
import { replicasIn } from './service-words.ts';

export const pollMs = 5000;

type Props = {
  project: Project;
  /** The active deployment of the environment. */
  releaseId: string;
  environment: string;
  /** Whether this is the only environment with a release. */
  isOnlyOne: boolean;
};

/** The services of one environment: a table, scaling and logs. */
export function ReleaseServices({ project, releaseId, environment, isOnlyOne }: Props) {
  const [scalings, setScalings] = useState<Scaling[]>([]);
  // Kept here, so that the logs stay open when another release becomes active.
  const [hasLogs, setHasLogs] = useState(false);
  const { states, deployment, containers } = useServiceStates(project, releaseId, scalings.length > 0);
  useEndOfScalings(scalings, states, setScalings);
  const add = (scaling: Scaling) =>
    setScalings((all) => [...all.filter(({ service }) => service !== scaling.service), scaling]);
  const running = (
    <div className="grid grid-cols-1 gap-3">
      {containers.isError && <Failure error={containers.error} retry={() => void containers.refetch()} />}
      <div>
        <Running {...{ project, environment, isOnlyOne, states }} onScaling={add} />
        {/* A live region has to exist before it is filled. */}
        <div role="status" className="not-empty:mt-3">
          {scalings.map((scaling) => {
            const state = states.find(({ name }) => name === scaling.service);
            return state && <ScaleProgress key={scaling.service} scaling={scaling} state={state} />;
          })}
        </div>
      </div>
      <Logs releaseId={releaseId} states={states} isOpen={hasLogs} onToggle={() => setHasLogs(!hasLogs)} />
    </div>
  );
  return (
    <div>
      {!isOnlyOne && <h3 className="mb-2 font-medium">{environment}</h3>}
      <Loaded query={deployment} lines={2}>
        {() => (
          <Loaded query={containers} lines={2}>
            {(list) => (list.length ? running : <NothingRuns releaseId={releaseId} />)}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

function useServiceStates(project: Project, id: string, isScaling: boolean) {
  const queries = useQueryClient();
  const isImmediate = useIsSelfHosted();
  const deployment = useQuery({ ...deploymentQuery(id), refetchInterval: pollMs });
  const containers = useQuery({ ...containersQuery(id), refetchInterval: isScaling ? deploymentPollMs : pollMs });
  const usage = useQuery({ ...usageQuery(id), refetchInterval: pollMs });
  // No replicas: it is a static site, or another release has become active.
  const mayBeReplaced = deployment.data?.active === false || containers.data?.length === 0;
  useEffect(() => {
    if (mayBeReplaced) void queries.invalidateQueries({ queryKey: ['project', project.id] });
  }, [mayBeReplaced, project.id, queries]);
  const services = deployment.data?.services ?? [];
  const running = { services, containers: containers.data ?? [], usage: usage.data ?? [] };
  return { states: replicaStatesOf(running, project, isImmediate), deployment, containers };
}

/** Shows a toast when the number of replicas is reached. Stops tracking when another person has set another number. */
function useEndOfScalings(scalings: Scaling[], states: ServiceState[], onChange: (left: Scaling[]) => void): void {
  const toast = useToast();
  // The settings on screen predate the change at first.
  const applied = useRef(new WeakSet<Scaling>());
  useEffect(() => {
    const left = scalings.filter((scaling) => {
      const { service, replicas } = scaling;
      const state = states.find(({ name }) => name === service);
      if (state?.wanted !== replicas) return !applied.current.has(scaling);
      applied.current.add(scaling);
      if (isSettled(state)) toast(`${service} runs ${replicasIn(replicas)}`);
      return !isSettled(state);
    });
    if (left.length < scalings.length) onChange(left);
  });
}

type RunningProps = {
  project: Project;
  environment: string;
  isOnlyOne: boolean;
  states: ServiceState[];
  onScaling: (scaling: Scaling) => void;
};

function Running({ project, environment, isOnlyOne, states, onScaling }: RunningProps) {
  const may = usePermissions();
  const toast = useToast();
  const isImmediate = useIsSelfHosted();
  const [name, setName] = useState<string>();
  const service = states.find((each) => each.name === name);
  const mayScale = may('deployment:write') && project.deployTarget !== 'cloud';
  const scaled = (replicas: number) => {
    if (name === undefined) return;
    if (isImmediate) onScaling({ service: name, replicas });
    else toast(`The next deployment runs ${replicasIn(replicas)} of ${name}`);
  };
  const when = isImmediate ? 'It takes effect without a build.' : 'It takes effect with the next deployment.';
  return (
    <>
      <ReplicaTable
        label={isOnlyOne ? 'Services' : `Services of ${environment}`}
        states={states}
        onScale={mayScale ? (each) => setName(each.name) : undefined}
      />
      {service && (
        <ScaleDialog
          projectId={project.id}
          environment={environment}
          service={service}
          hint={isOnlyOne ? `1 to 50. ${when}` : `1 to 50, in every environment of the project. ${when}`}
          onScaled={scaled}
          onClose={() => setName(undefined)}
        />
      )}
    </>
  );
}

type LogsProps = { releaseId: string; states: ServiceState[]; isOpen: boolean; onToggle: () => void };

function Logs({ releaseId, states, isOpen, onToggle }: LogsProps) {
  const numbers = states.flatMap(({ replicas }) => replicas.map(({ container }) => container.replica));
  return (
    <>
      <Button size="small" aria-expanded={isOpen} onClick={onToggle} className="justify-self-start">
        {isOpen ? 'Hide logs' : 'Show logs'}
      </Button>
      {isOpen && (
        <LogViewer
          key={releaseId}
          deploymentId={releaseId}
          services={states.map(({ name }) => name)}
          replicas={Math.max(1, ...numbers)}
        />
      )}
    </>
  );
}

/** A static site, or a release with no containers left. */
function NothingRuns({ releaseId }: { releaseId: string }) {
  const steps = useQuery(stepsQuery(releaseId));
  if (steps.isPending) return <Skeleton lines={1} />;
  if (steps.data?.steps.some(({ name, status }) => name === 'start' && status === 'skipped'))
    return <p className="text-sm text-muted">A static site has no replicas: the edge serves its files.</p>;
  return (
    <EmptyState icon="project" title="Nothing is running">
      The active release has no running replica. Mooring restarts it automatically; if that keeps failing, redeploy the
      project.
    </EmptyState>
  );
}
