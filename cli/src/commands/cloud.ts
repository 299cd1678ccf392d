import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { findProject } from '../deployments/find.ts';
import { followToEnd } from '../deployments/follow.ts';
import { answerOption, requireFollowed } from '../deployments/question.ts';
import { exitCodes } from '../errors.ts';
import { signedInClient } from '../instance.ts';
import { type Output, plainText } from '../output.ts';
import { secretFromStdin } from '../prompt.ts';

type Link = Schemas['CloudLink'];

const link = defineCommand({
  name: 'cloud link',
  summary: 'Link the organization to a hosted cloud with your access token',
  description: 'Asks for the token, or reads it from standard input. It is encrypted and never shown again.',
  parameters: ['<address>'],
  async run({ args: [url = ''], out, instance }) {
    const client = signedInClient(instance());
    const body = { url, token: await secretFromStdin('Access token') };
    show((await unwrap(client.POST('/api/cloud/link', { body }))).data, out);
  },
});

const status = defineCommand({
  name: 'cloud status',
  summary: 'Show the linked cloud and whether it responds',
  async run({ out, instance }) {
    const { data } = await unwrap(signedInClient(instance()).GET('/api/cloud/link'));
    show(data, out);
    if (data.linked && !data.reachable) process.exitCode = exitCodes.failed;
  },
});

const unlink = defineCommand({
  name: 'cloud unlink',
  summary: 'Remove the cloud link; fails while projects run there',
  async run({ out, instance }) {
    await unwrap(signedInClient(instance()).DELETE('/api/cloud/link'));
    out.print({ linked: false }, () => 'The cloud link is removed. Revoke the token in the cloud, too.');
  },
});

const promote = defineCommand({
  name: 'cloud promote',
  summary: 'Move a project with a git source to the cloud and deploy it there',
  description: [
    'Its settings and variables move with it; domains and registry logins do not and are listed. The release here keeps',
    'serving until it is deleted. Later deployments go to the cloud.',
  ].join('\n'),
  parameters: ['<project>'],
  options: {
    branch: { type: 'string', value: '<branch>', help: 'branch to deploy instead of the one of the project' },
    answer: answerOption,
    detach: { type: 'boolean', help: 'print the deployment id and do not wait' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    requireFollowed(values);
    const here = instance();
    const client = signedInClient(here);
    const { id: projectId, cloud: before } = await findProject(client, named);
    const body = { projectId, deployTarget: 'cloud' as const, ...(values.branch && { branch: values.branch }) };
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    if (before !== 'there') await noteStaying(client, projectId, out);
    if (values.detach) return out.print({ id }, () => id);
    out.note(`Deployment ${id}, in the cloud`);
    return followToEnd(here, id, out, { answers: values.answer });
  },
});

/** Lists what stays behind, as far as the caller has permission to see it. */
async function noteStaying(client: Client, id: string, out: Output): Promise<void> {
  const domains = await client.GET('/api/projects/{id}/domains', { params: { path: { id } } });
  const registries = await client.GET('/api/registries');
  const names = domains.data?.data.map(({ name }) => plainText(name)) ?? [];
  const logins = registries.data?.data.map(({ address }) => plainText(address)) ?? [];
  if (names.length) out.note(`These domains still point here: ${names.join(', ')}`);
  if (logins.length) out.note(`Registry logins stay here; add the ones you need in the cloud: ${logins.join(', ')}`);
}

const home = defineCommand({
  name: 'cloud bring-home',
  summary: 'Bring a project home from the cloud and deploy it here',
  description: [
    'The release in the cloud keeps serving. Once the domains point here, remove it there with --remove, which deploys nothing',
    'and fails while the project still runs there.',
  ].join('\n'),
  parameters: ['<project>'],
  options: {
    'no-deploy': { type: 'boolean', help: 'do not deploy yet' },
    answer: answerOption,
    remove: { type: 'boolean', help: 'remove the cloud copy of a project that was brought home' },
    volumes: { type: 'boolean', help: 'with --remove: its volumes there go too, for good' },
    abandon: { type: 'boolean', help: 'with --remove: leave it to a cloud that will not come back' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const { id, name } = await findProject(client, named);
    if (values.remove) return removeThere(client, { id, name }, values, out);
    const body = { deploy: !values['no-deploy'] };
    const path = { params: { path: { id } } };
    const { deployment_id: begun } = await unwrap(client.POST('/api/projects/{id}/bring-home', { ...path, body }));
    if (begun === null)
      return out.print({ id }, () => `${plainText(name)} is back home. Deploy it with: mooring deploy --git`);
    out.note(`Deployment ${begun}`);
    return followToEnd(here, begun, out, { answers: values.answer });
  },
});

async function removeThere(
  client: Client,
  { id, name }: { id: string; name: string },
  { abandon = false, volumes = false }: { abandon?: boolean | undefined; volumes?: boolean | undefined },
  out: Output,
): Promise<void> {
  const query = { ...(abandon && { abandon: 'true' as const }), ...(volumes && { volumes: 'true' as const }) };
  await unwrap(client.DELETE('/api/projects/{id}/cloud', { params: { path: { id }, query } }));
  const gone = `The cloud copy of ${plainText(name)} is removed.`;
  out.print({ id }, () => (abandon ? `The cloud copy of ${plainText(name)} was given up.` : gone));
}

function show(found: Link, out: Output): void {
  out.print(found, () => {
    if (!found.linked) return 'Not linked to a cloud. Link one with: mooring cloud link <address>';
    const where = `Linked to ${plainText(found.url ?? '')} as ${plainText(found.account ?? 'an unknown account')}`;
    const organization = found.organization ? `, organization ${plainText(found.organization.name)}` : '';
    const how = found.reachable ? 'It answers.' : `It does not respond: ${plainText(found.problem ?? 'unknown')}.`;
    return `${where}${organization}. ${how} Projects there: ${found.projects}.`;
  });
}

export const cloudCommands = [link, status, unlink, promote, home];
