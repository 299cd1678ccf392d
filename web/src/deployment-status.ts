import type { Deployment } from './api.ts';

const ended = new Set<string>(['ready', 'failed', 'cancelled', 'rejected']);

/** Whether a deployment has not ended yet. */
export const isUnfinishedDeployment = ({ status }: Pick<Deployment, 'status'> | { status: string }): boolean =>
  !ended.has(status);
