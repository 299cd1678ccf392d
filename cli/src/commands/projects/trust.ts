import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { deploymentsOf, findProject, type Project } from '../../deployments/find.ts';
import { Failure } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { plainText } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';

const allows = [
  'A trusted project can use privileged mode, networks and devices of the machine, folders outside its source, the Docker',
  'socket, and volumes and networks of other projects. Everyone who can deploy it can take over the machine.',
].join('\n');

const trust = defineCommand({
  name: 'project trust',
  parameters: ['<project>'],
  summary: 'Allow a project access to the machine; only the instance owner can do it',
  description: [allows, 'Shows what its compose file asks for, and asks before it changes anything.'].join('\n'),
  options: { yes: { type: 'boolean', short: 'y', help: 'do not ask' } },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const { name, slug } = project;
    if (project.trusted) return out.print(project, () => `${plainText(name)} is already trusted.`);
    if (!values.yes) await confirmTrust(client, project);
    const changed = await changeTrust(client, project, true);
    out.print(changed, () => `${plainText(name)} is trusted.`);
    out.note(`Deploy it again: mooring deploy, or mooring redeploy ${slug}`);
  },
});

async function confirmTrust(client: Client, project: Project): Promise<void> {
  const { name, slug } = project;
  const needs = await accessOf(client, project);
  const why = needs.length
    ? [`Its last deployment was refused, because it asks for this:`, ...needs.map((line) => `  ${line}`)]
    : ['No deployment of it was refused for lack of trust.'];
  process.stderr.write(`${[allows, ...why.map(plainText)].join('\n')}\n`);
  if (!isInteractive()) throw new Failure(`${name} was not changed; confirm with: mooring project trust ${slug} --yes`);
  if (!(await confirm(`Trust ${plainText(name)}?`))) throw new Failure(`${name} was not changed`);
}

/** What the newest deployment was refused for. */
async function accessOf(client: Client, { id }: Project): Promise<string[]> {
  const [newest] = await deploymentsOf(client, id, 1);
  return newest?.error?.code === 'not_trusted' ? newest.error.message.split('\n').slice(1) : [];
}

const untrust = defineCommand({
  name: 'project untrust',
  parameters: ['<project>'],
  summary: 'Remove the access of a project to the machine',
  description: 'Services that run keep their access until they stop; they are not started again with it.',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const changed = project.trusted ? await changeTrust(client, project, false) : project;
    out.print(changed, () => `${plainText(project.name)} is not trusted.`);
    if (project.trusted) out.note('Services that run keep their access until they stop.');
  },
});

async function changeTrust(client: Client, { id }: Project, trusted: boolean): Promise<Project> {
  return (await unwrap(client.PATCH('/api/projects/{id}', { params: { path: { id } }, body: { trusted } }))).data;
}

export const trustCommands = [trust, untrust];
