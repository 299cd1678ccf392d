import type { ServiceOptions } from '../../runtime.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { isStackLabelled, restartLabel } from '../labels.ts';

/** As the engine has it. */
export interface RestartPolicy {
  Name: string;
  MaximumRetryCount?: number;
}

/** After a crash of the app, and after a restart of the engine. Not `unless-stopped`: an engine that was killed stops what
 * it finds running at its next start, and then takes that for our wish. So our wish is the policy itself. */
export const restartAlways: RestartPolicy = { Name: 'always' };
export const restartNever: RestartPolicy = { Name: 'no' };

/** What a service's file asks for. */
export function engineRestartPolicy({ policy, maxAttempts }: ServiceOptions['restart']): RestartPolicy {
  if (policy === 'on-failure') return { Name: policy, MaximumRetryCount: maxAttempts ?? 0 };
  return policy === 'no' ? restartNever : restartAlways;
}

/** What a container has while it is wanted: from when it is stopped on it has another one. */
export function wantedRestart({ Config: { Labels } }: ContainerInfo): RestartPolicy {
  const written = isStackLabelled(Labels) ? Labels?.[restartLabel] : undefined;
  return written === undefined ? restartAlways : (JSON.parse(written) as RestartPolicy);
}
