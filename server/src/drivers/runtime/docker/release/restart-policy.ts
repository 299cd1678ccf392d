import type { ServiceOptions } from '../../runtime.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { isStackLabelled, restartLabel } from '../labels.ts';

/** In the engine's format. */
export interface RestartPolicy {
  Name: string;
  MaximumRetryCount?: number;
}

/** Restarts after a crash of the app and a restart of the engine. Not `unless-stopped`: an engine that was killed
 * stops what it finds running at its next start, and treats that as a user's stop. So the policy itself expresses the
 * desired state. */
export const restartAlways: RestartPolicy = { Name: 'always' };
export const restartNever: RestartPolicy = { Name: 'no' };

/** Converts the restart policy of a service. */
export function engineRestartPolicy({ policy, maxAttempts }: ServiceOptions['restart']): RestartPolicy {
  if (policy === 'on-failure') return { Name: policy, MaximumRetryCount: maxAttempts ?? 0 };
  return policy === 'no' ? restartNever : restartAlways;
}

/** Returns the policy of a container while it should run; stopping it sets another one. */
export function wantedRestart({ Config: { Labels } }: ContainerInfo): RestartPolicy {
  const written = isStackLabelled(Labels) ? Labels?.[restartLabel] : undefined;
  return written === undefined ? restartAlways : (JSON.parse(written) as RestartPolicy);
}
