import { defineCommand } from '../../command.ts';
import { allProjects, type Deployment, deploymentsOf, findProject, type Project } from '../../deployments/find.ts';
import { signedInClient } from '../../instance.ts';
import type { Column } from '../../output.ts';
import { wholeNumber } from '../../whole-number.ts';
import { age, formatDuration } from '../../format.ts';

function columnsWith(projects: Project[]): Column<Deployment>[] {
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return [
    { heading: 'ID', value: ({ id }) => id },
    { heading: 'PROJECT', value: ({ projectId }) => names.get(projectId) ?? projectId },
    { heading: 'ENVIRONMENT', value: ({ environment }) => environment },
    { heading: 'STATUS', value: ({ status }) => status },
    { heading: 'ACTIVE', value: ({ active }) => (active ? '*' : '') },
    { heading: 'TRIGGER', value: ({ trigger }) => trigger },
    { heading: 'COMMIT', value: ({ commitSha }) => commitSha?.slice(0, 7) ?? '' },
    { heading: 'AGE', value: ({ timing }) => age(timing.createdAt) },
    { heading: 'TOOK', value: ({ timing }) => (timing.totalMs === null ? '' : formatDuration(timing.totalMs)) },
  ];
}

export const deployments = defineCommand({
  name: 'deployments',
  summary: 'List deployments, newest first',
  options: {
    project: { type: 'string', short: 'p', value: '<project>', help: 'only deployments of this project (name or id)' },
    environment: { type: 'string', value: '<name>', help: 'only deployments of this environment' },
    limit: { type: 'string', value: '<n>', help: 'number of deployments; default 20' },
  },
  async run({ values, out, instance }) {
    const limit = wholeNumber('limit', values.limit) ?? 20;
    const filter = values.environment ? { environment: values.environment } : {};
    const client = signedInClient(instance());
    const project = values.project === undefined ? undefined : await findProject(client, values.project);
    const projects = project ? [project] : await allProjects(client);
    const found = await deploymentsOf(client, project?.id, limit, filter);
    if (!found.length && filter.environment) out.note(`No deployments in ${filter.environment}`);
    out.list(found, columnsWith(projects));
  },
});
