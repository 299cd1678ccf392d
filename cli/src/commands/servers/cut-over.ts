import { unwrap } from '@mooring/client';
import { followToEnd } from '../../deployments/follow.ts';
import { planText } from '../../deployments/plan-table.ts';
import { answerOption } from '../../deployments/question.ts';
import { exitCodes, Failure } from '../../errors.ts';
import {
  type Adoption,
  suggestCommand,
  adoptedProjectCommand,
  printWithWarnings,
  nameOptionInError,
} from '../../migration/adopted-project-command.ts';
import { downtimeOf, showRestoring } from '../../migration/restore-progress.ts';
import { type Column, plainText } from '../../output.ts';
import { confirm as isConfirmed, isInteractive } from '../../prompt.ts';
import { shellWord } from '../../format.ts';

type Line = { service: string } & Adoption['services'][number]['originals'][number];

const standings = { in_charge: 'not replaced', stopped: 'stopped, kept', removed: 'removed' };
const states: Record<Adoption['state'], string> = {
  adopted: 'no container is replaced yet',
  switched: 'the project has replaced the original containers; they can be restored',
  undoing: 'the original containers are being restored',
  undone: 'the original containers are restored',
  confirming: 'the original containers are being removed',
  confirmed: 'the original containers were removed',
};

const columns: Column<Line>[] = [
  { heading: 'SERVICE', value: ({ service }) => service },
  { heading: 'ORIGINAL', value: ({ name }) => name },
  { heading: 'STATE', value: ({ standing }) => standings[standing] },
  { heading: 'RUNNING', value: ({ running }) => (running === null ? 'unknown' : running ? 'yes' : 'no') },
];

const plan = adoptedProjectCommand({
  verb: 'plan',
  summary: 'Show how each service would replace its original container, without doing it',
  async run({ client, project, adoption, out }) {
    const body = { projectId: project.id };
    const { data } = await unwrap(client.POST('/api/deployments/plan', { body }));
    const plan = { ...data, warnings: [...adoption.warnings, ...data.warnings] };
    out.print(plan, () => planText(plan));
    if (hasOriginals(adoption)) suggestCommand(out, 'Start the cut-over', `cut-over ${shellWord(project.name)}`);
  },
});

/** Whether a cut-over would replace an original container. */
const hasOriginals = ({ services }: Adoption): boolean =>
  services.some(({ originals }) => originals.some(({ standing }) => standing === 'in_charge'));

const cutOver = adoptedProjectCommand({
  verb: 'cut-over',
  summary: 'Deploy an adopted project: each original container is stopped and kept once its replacement is ready',
  description: 'Run mooring migrate plan first to see how each service is replaced.',
  options: { answer: answerOption },
  async run({ here, client, project: { id: projectId, name }, adoption, values, out }) {
    // It would deploy the services as they were adopted, in place of what was deployed since.
    if (adoption.state === 'confirmed')
      throw new Failure(
        `the cut-over of ${plainText(name)} was confirmed. To deploy it again: mooring redeploy ${shellWord(name)}`,
      );
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body: { projectId } }));
    out.note(`Deployment ${id}`);
    await followToEnd(here, id, out, { answers: values.answer });
    // A failed cut-over has restored the original containers.
    if (process.exitCode === exitCodes.failed) return;
    suggestCommand(out, 'The original containers are kept. Restore them', `undo ${shellWord(name)}`);
    suggestCommand(out, 'Remove them for good', `confirm ${shellWord(name)}`);
  },
});

const status = adoptedProjectCommand({
  verb: 'status',
  summary: 'Show the original containers of an adopted project',
  async run({ project, adoption: { services, state, canUndo }, out }) {
    const lines = services.flatMap(({ name, originals }) => originals.map((each) => ({ service: name, ...each })));
    out.list(lines, columns);
    out.note(`${state}: ${states[state]}.`);
    if (state === 'adopted' || state === 'undone')
      suggestCommand(out, 'Start the cut-over', `cut-over ${shellWord(project.name)}`);
    if (canUndo) suggestCommand(out, 'Restore them', `undo ${shellWord(project.name)}`);
  },
});

const undo = adoptedProjectCommand({
  verb: 'undo',
  summary: 'Undo a cut-over: restore the original containers exactly as they were',
  description: [
    'Stops the project on that server, and its addresses stop working. Services that share a port or a volume with their',
    'original containers have a short downtime. Volumes are not touched. Safe to repeat.',
  ].join('\n'),
  async run({ client, project: { id, name }, adoption, out }) {
    const downtime = adoption.canUndo ? downtimeOf(adoption) : undefined;
    if (downtime !== undefined) out.note(downtime);
    const params = { path: { projectId: id } };
    const request = unwrap(client.POST('/api/migration/{projectId}/undo', { params }));
    const { success: _, ...undone } = await showRestoring(client, adoption, request);
    printWithWarnings(out, undone, `Restored for ${name}: ${undone.restored.join(', ') || 'nothing'}.`);
    suggestCommand(out, 'Cut over again', `cut-over ${shellWord(name)}`);
  },
});

const confirm = adoptedProjectCommand({
  verb: 'confirm',
  summary: 'Confirm a cut-over: remove the stopped original containers',
  description: [
    'Volumes, images and networks are kept. Files that the original containers wrote outside volumes are removed with',
    'them, so it is refused while there are any, unless --force is given. This cannot be undone. At a terminal it asks.',
  ].join('\n'),
  options: {
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
    force: { type: 'boolean', help: 'also delete files that the original containers wrote outside volumes' },
  },
  async run({ client, project: { id, name }, values, out }) {
    const question = `Remove the original containers of ${plainText(name)}? This cannot be undone.`;
    if (!values.yes && isInteractive() && !(await isConfirmed(question)))
      throw new Failure('the original containers were not removed');
    const wanted = { params: { path: { projectId: id } }, body: { force: Boolean(values.force) } };
    const { success: _, ...confirmed } = await unwrap(client.POST('/api/migration/{projectId}/confirm', wanted)).catch(
      nameOptionInError,
    );
    printWithWarnings(out, confirmed, `Removed: ${confirmed.removed.join(', ') || 'nothing'}.`);
  },
});

export const cutOverCommands = [plan, cutOver, status, undo, confirm];
