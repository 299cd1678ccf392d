import type { Owner } from './runtime.ts';

/** Somebody newer has taken the deployment over; whoever gets this must stop working on it. */
export class StaleFenceError extends Error {
  override name = 'StaleFenceError';

  constructor({ deploymentId, service, fence }: Owner, known: number) {
    super(`${deploymentId}/${service} was taken over: fence ${fence} is older than ${known}`);
  }
}
