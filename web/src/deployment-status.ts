import type { Deployment } from './api.ts';

const ended = new Set<string>(['ready', 'failed', 'cancelled', 'rejected']);

/** Whether something is still to come of a deployment. */
export const isMoving = ({ status }: Pick<Deployment, 'status'> | { status: string }): boolean => !ended.has(status);
