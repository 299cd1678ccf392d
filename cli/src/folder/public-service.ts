import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import type { Project } from '../deployments/find.ts';
import { UsageError } from '../errors.ts';
import { type Output, plainText } from '../output.ts';
import { type Endpoint, isPort, saveEndpoints } from '../projects/endpoints.ts';
import { promptText, isInteractive } from '../prompt.ts';

type Reach = NonNullable<Schemas['Detection']['reach']>;
type Given = { service?: string | undefined; port?: string | undefined };

/** `--service` and `--port` of a deployment; undefined without them. */
export function endpointOf({ service, port }: Given): Endpoint | undefined {
  if (service === undefined && port === undefined) return undefined;
  if (port !== undefined && !isPort(Number(port))) throw new UsageError('--port must be a port from 1 to 65535');
  return { ...(service !== undefined && { service }), ...(port !== undefined && { port: Number(port) }) };
}

const composeFiles = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** `folder`: the app's folder below the root of the upload. */
type Upload = {
  client: Client;
  project: Project;
  root: string;
  folder: string;
  sessionId: string;
  deploys?: 'compose';
};

/** Asks which service of an uploaded compose file is public, if the file does not say it and nobody chose one. */
export async function choosePublicService(
  { client, project, root, folder, sessionId, deploys }: Upload,
  out: Output,
): Promise<void> {
  if (!isInteractive() || project.publicEndpoints.length) return;
  if (!composeFiles.some((name) => existsSync(join(root, folder, name)))) return;
  const { data } = await unwrap(
    client.POST('/api/projects/folder/scan', { body: { sessionId, rootDirectory: folder, deploys } }),
  );
  if (!data.reach?.question) return;
  const chosen = await asked(data.reach);
  await saveEndpoints(client, project, [chosen]);
  out.note(`The project keeps this setting. To change it: mooring endpoint set ${project.slug} <service>:<port>`);
}

async function asked({ question, services }: Reach): Promise<Endpoint> {
  const lines = services.map(({ service, reason }) => `  ${service} (${reason})`);
  process.stderr.write(`${plainText(question!)}\n${lines.map(plainText).join('\n')}\n`);
  const best = services[0]!.service;
  for (;;) {
    const [name = '', port] = (await promptText('Public service', plainText(best))).split(':');
    const found = services.find(({ service }) => service === name);
    if (found && (port === undefined || isPort(Number(port))))
      return { service: found.service, ...(port !== undefined && { port: Number(port) }) };
    process.stderr.write(`Answer with one of ${plainText(services.map(({ service }) => service).join(', '))}.\n`);
  }
}
