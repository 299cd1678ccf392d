import { containerKey, isSiteState, type ServiceImage, type ServiceState, type Stack } from '../model/stack.ts';
import type { ComposeService } from '../../../compose/index.ts';
import type { ComposeVolume } from '../../../compose/project.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { StepContext } from '../model/step.ts';
import { selectActive } from '../model/store.ts';

export interface RunningService {
  service: ComposeService;
  /** Those of its project. */
  volumes?: readonly ComposeVolume[];
  digest: string;
  /** Digest of its image's inputs, if recorded. */
  imageDigest?: string | undefined;
  image: ServiceImage | null;
  /** The deployment whose container serves. */
  runsOf: string;
  /** Whether that container exists and runs, or has completed successfully. */
  isThere: boolean;
  /** Whether it has completed successfully. */
  isOver: boolean;
  /** Whether it did not answer as the public service. */
  isSilent?: boolean | undefined;
}

type Looking = Pick<StepContext, 'db' | 'parts' | 'deployment' | 'stack'>;

/** Returns the services of the active release in this environment. */
export async function runningServices({ db, parts, deployment, stack }: Looking): Promise<Map<string, RunningService>> {
  const { organizationId, projectId, environment } = deployment;
  const active = await selectActive(db, organizationId, projectId, environment);
  const known = active && stack.of(active);
  if (!known) return new Map();
  const running = (await parts.runtime.list()).filter(({ owner }) => owner.projectId === projectId);
  return runningIn(known, running);
}

export function runningIn(
  { stack, states }: { stack: Stack; states: readonly ServiceState[] },
  running: readonly Instance[],
): Map<string, RunningService> {
  const byKey = new Map(running.map((each) => [containerKey(each.owner.deploymentId, each.owner.service), each]));
  const seen = new Map<string, RunningService>();
  for (const state of states) {
    const { name, runsOf, image, status, isOver = status === 'completed', isSilent } = state;
    const service = stack.project.services.find((each) => each.name === name);
    if (runsOf === null || !service) continue;
    const instance = byKey.get(containerKey(runsOf, name));
    const isUp = instance?.state === 'running' || instance?.state === 'restarting';
    const digests = { digest: stack.digests[name] ?? '', imageDigest: stack.images?.[name] };
    const isThere = isUp || isOver || isSiteState(state);
    const { volumes } = stack.project;
    seen.set(name, { service, volumes, ...digests, image, runsOf, isThere, isOver, isSilent });
  }
  return seen;
}
