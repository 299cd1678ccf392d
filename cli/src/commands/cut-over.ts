import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { findProject } from '../deployments/find.ts';
import { followToEnd } from '../deployments/follow.ts';
import { planText } from '../deployments/plan-table.ts';
import { signedInClient } from '../instance.ts';
import { type Column, plain } from '../output.ts';

type Adoption = Awaited<ReturnType<typeof adoptionOf>>;
type Line = { service: string } & Adoption['services'][number]['originals'][number];

const standings = { in_charge: 'in charge', stopped: 'stopped, kept', removed: 'removed' };

const columns: Column<Line>[] = [
  { heading: 'SERVICE', value: ({ service }) => service },
  { heading: 'CONTAINER BEFORE', value: ({ name }) => name },
  { heading: 'STANDING', value: ({ standing }) => standings[standing] },
  { heading: 'RUNS', value: ({ running }) => (running === null ? 'unknown' : running ? 'yes' : 'no') },
];

async function adoptionOf(client: Client, projectId: string) {
  const params = { path: { projectId } };
  return (await unwrap(client.GET('/api/migration/{projectId}', { params }))).data;
}

const status = defineCommand({
  name: 'migrate status',
  parameters: ['<project>'],
  summary: 'Show what ran before a project took over, and whether it can come back',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    const adoption = await adoptionOf(client, id);
    const lines = adoption.services.flatMap(({ name: service, originals }) =>
      originals.map((original) => ({ service, ...original })),
    );
    out.list(lines, columns);
    out.note(`The cut-over is ${adoption.state}.`);
    if (adoption.canUndo) out.note(`Bring them back with: mooring migrate undo ${plain(name)}`);
  },
});

const plan = defineCommand({
  name: 'migrate plan',
  parameters: ['<project>'],
  summary: 'Show how each service would take over from what runs now, and do nothing',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id: projectId } = await findProject(client, named);
    const { data } = await unwrap(client.POST('/api/deployments/plan', { body: { projectId } }));
    out.print(data, () => planText(data));
  },
});

const cutOver = defineCommand({
  name: 'migrate cut-over',
  parameters: ['<project>'],
  summary: 'Deploy what was adopted: each container is stopped when its replacement is ready, and kept',
  description: 'How each service takes over is what mooring migrate plan says.',
  async run({ args: [named = ''], out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const { id: projectId, name } = await findProject(client, named);
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body: { projectId } }));
    out.note(`Deployment ${id}`);
    await followToEnd(here, id, out);
    out.note(`What ran before is kept. Bring it back with: mooring migrate undo ${plain(name)}`);
  },
});

const undo = defineCommand({
  name: 'migrate undo',
  parameters: ['<project>'],
  summary: 'Bring back what ran before a project took over, exactly as it was',
  description: 'What runs of the project on that server ends. Volumes are left as they are. It may be repeated.',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    const params = { path: { projectId: id } };
    const { success: _, ...undone } = await unwrap(client.POST('/api/migration/{projectId}/undo', { params }));
    out.print(undone, () => plain(`Back as before ${name}: ${undone.restored.join(', ') || 'nothing'}.`));
    for (const warning of undone.warnings) out.note(plain(warning));
  },
});

const confirm = defineCommand({
  name: 'migrate confirm',
  parameters: ['<project>'],
  summary: 'Remove the stopped containers that a project took over from',
  description: 'Their volumes stay. There is no way back from it.',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findProject(client, named);
    const params = { path: { projectId: id } };
    const { success: _, ...confirmed } = await unwrap(client.POST('/api/migration/{projectId}/confirm', { params }));
    out.print(confirmed, () => plain(`Removed: ${confirmed.removed.join(', ') || 'nothing'}.`));
    for (const warning of confirmed.warnings) out.note(plain(warning));
  },
});

export const cutOverCommands = [plan, cutOver, status, undo, confirm];
