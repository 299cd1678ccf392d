import type { Built } from '../model/built.ts';
import { isAfterwork, isBuildStep, isRolloutPhase, type StepName } from '../model/plan.ts';
import type { StepResult } from '../model/step.ts';
import type { DeploymentRow } from '../model/store.ts';
import { afterServices, type RolloutOutcome } from '../rollout/steps.ts';
import { imageColumns } from './journaled-plan.ts';

/** Returns what the beginning of a step changes on its deployment. */
export function changeAtBegin(name: StepName, { status, buildStartedAt }: DeploymentRow): Partial<DeploymentRow> {
  // The claim has set the status already; this event announces it in the stream.
  if (isBuildStep(name)) return buildStartedAt === null ? { status: 'building', buildStartedAt: Date.now() } : {};
  if (isAfterwork(name)) return {};
  return { ...(status === 'building' && { status: 'deploying' }), ...(name === 'route' && { switching: 1 }) };
}

/** Returns what the result of a step changes on its deployment. Secrets in the result are redacted already. */
export function changeAtEnd(name: StepName, result: StepResult): Partial<DeploymentRow> {
  if (name === 'source' && result['commitSha'])
    return { commitSha: result['commitSha'] as string, commitMessage: result['commitMessage'] as string };
  if (name === 'build')
    return { buildFinishedAt: Date.now(), artifactKept: 1, ...imageColumns(result as unknown as Built) };
  if (name === 'services' || isRolloutPhase(name)) return afterServices(result as RolloutOutcome);
  if (name === 'restore') return { status: 'rejected', finishedAt: Date.now(), urls: '[]' };
  return {};
}
