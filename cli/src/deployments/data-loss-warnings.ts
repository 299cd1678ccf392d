import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import type { Output } from '../output.ts';
import { retryWhileAway } from '../retry.ts';
import { activeRelease } from './find.ts';

type Kind = Schemas['BuildState']['warnings'][number]['kind'];

/** Warns about files that the active release wrote outside volumes: a deployment loses them. */
export async function warnOfFilesAtRisk(
  client: Client,
  projectId: string,
  environment: string | undefined,
  out: Output,
): Promise<void> {
  const active = await activeRelease(client, projectId, environment).catch(ifNotAllowed);
  if (active) await warnOf(client, active.id, 'at_risk', out);
}

/** A token that only deploys may not list deployments. */
function ifNotAllowed(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 403) return undefined;
  throw error;
}

/** Warns about data of the app that no volume keeps. The log says it too, far above. */
export const warnOfUnkeptData = (client: Client, id: string, out: Output): Promise<void> =>
  warnOf(client, id, 'detected', out);

async function warnOf(client: Client, id: string, kind: Kind, out: Output): Promise<void> {
  const request = () => unwrap(client.GET('/api/deployments/{id}/build', { params: { path: { id } } }));
  const { warnings } = (await retryWhileAway(request)).data;
  for (const { message } of warnings.filter((each) => each.kind === kind)) out.warn(message);
}
