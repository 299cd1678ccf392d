/** A newer worker has taken the deployment over: the caller must stop working on it. */
export class StaleFenceError extends Error {
  override name = 'StaleFenceError';
}

type Owner = { deploymentId: string; service: string; fence: number };

export const staleFence = ({ deploymentId, service, fence }: Owner, known: number): StaleFenceError =>
  new StaleFenceError(`${deploymentId}/${service} was taken over: fence ${fence} is older than ${known}`);
