import { unwrap } from '@mooring/client';
import { followToEnd } from '../deployments/follow.ts';
import { planText } from '../deployments/plan-table.ts';
import { type Adoption, hint, onProject, tell, word } from '../migration/on-project.ts';
import type { Column } from '../output.ts';

type Line = { service: string } & Adoption['services'][number]['originals'][number];

const standings = { in_charge: 'in charge', stopped: 'stopped, kept', removed: 'removed' };
const states: Record<Adoption['state'], string> = {
  adopted: 'nothing is replaced yet',
  switched: 'the project runs in their place, and they can come back',
  undoing: 'they are on their way back',
  undone: 'they are back',
  confirming: 'they are being removed',
  confirmed: 'they were removed, and cannot come back',
};

const columns: Column<Line>[] = [
  { heading: 'SERVICE', value: ({ service }) => service },
  { heading: 'CONTAINER BEFORE', value: ({ name }) => name },
  { heading: 'STANDING', value: ({ standing }) => standings[standing] },
  { heading: 'RUNS', value: ({ running }) => (running === null ? 'unknown' : running ? 'yes' : 'no') },
];

const plan = onProject({
  verb: 'plan',
  summary: 'Show how each service would take over from what runs now, and do nothing',
  async run({ client, project, out }) {
    const body = { projectId: project.id };
    const { data } = await unwrap(client.POST('/api/deployments/plan', { body }));
    out.print(data, () => planText(data));
    hint(out, 'Do it with', `cut-over ${word(project.name)}`);
  },
});

const cutOver = onProject({
  verb: 'cut-over',
  summary: 'Deploy what was adopted: each container is stopped when its replacement is ready, and kept',
  description: 'How each service takes over is what mooring migrate plan says.',
  async run({ here, client, project: { id: projectId, name }, out }) {
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body: { projectId } }));
    out.note(`Deployment ${id}`);
    await followToEnd(here, id, out);
    hint(out, 'What ran before is kept. Bring it back with', `undo ${word(name)}`);
    hint(out, 'Remove it for good with', `confirm ${word(name)}`);
  },
});

const status = onProject({
  verb: 'status',
  summary: 'Show what ran before a project took over, and whether it can come back',
  async run({ project, adoption: { services, state, canUndo }, out }) {
    const lines = services.flatMap(({ name, originals }) => originals.map((each) => ({ service: name, ...each })));
    out.list(lines, columns);
    out.note(`${state}: ${states[state]}.`);
    if (state === 'adopted' || state === 'undone') hint(out, 'Take over with', `cut-over ${word(project.name)}`);
    if (canUndo) hint(out, 'Bring them back with', `undo ${word(project.name)}`);
  },
});

const undo = onProject({
  verb: 'undo',
  summary: 'Bring back what ran before a project took over, exactly as it was',
  description: 'What runs of the project on that server ends. Volumes are left as they are. It may be repeated.',
  async run({ client, project: { id, name }, out }) {
    const params = { path: { projectId: id } };
    const { success: _, ...undone } = await unwrap(client.POST('/api/migration/{projectId}/undo', { params }));
    tell(out, undone, `Back as before ${name}: ${undone.restored.join(', ') || 'nothing'}.`);
  },
});

const confirm = onProject({
  verb: 'confirm',
  summary: 'Remove the stopped containers that a project took over from',
  description: 'Their volumes stay. There is no way back from it.',
  async run({ client, project: { id }, out }) {
    const params = { path: { projectId: id } };
    const { success: _, ...confirmed } = await unwrap(client.POST('/api/migration/{projectId}/confirm', { params }));
    tell(out, confirmed, `Removed: ${confirmed.removed.join(', ') || 'nothing'}.`);
  },
});

export const cutOverCommands = [plan, cutOver, status, undo, confirm];
