import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { deploymentsOf } from '../../deployments/find.ts';
import { detectionText, firstPlan, newProjectText, planText } from '../../deployments/plan-table.ts';
import { UsageError } from '../../errors.ts';
import { nameOfNewProject, projectOfFolder } from '../../folder/project-of-folder.ts';
import { collectContent, folderAt, sendFolder } from '../../folder/source.ts';
import { signedInClient } from '../../instance.ts';
import type { Output } from '../../output.ts';

type Plan = Schemas['Plan'];
type Detection = Schemas['Detection'];

export const plan = defineCommand({
  name: 'plan',
  parameters: ['[folder]'],
  summary: 'Show what a deployment would do to each service, and deploy nothing',
  description: [
    'Takes the same project and files as mooring deploy. Builds nothing, so it does not notice images that have',
    'changed at their registry. Before the first release it shows what was detected, and creates no project.',
  ].join('\n'),
  options: {
    project: { type: 'string', short: 'p', value: '<project>', help: 'name or id of the project' },
    environment: { type: 'string', value: '<name>', help: 'environment; default production' },
    git: { type: 'boolean', help: 'use the git source of the project instead of the folder' },
    branch: {
      type: 'string',
      value: '<branch>',
      help: 'with --git: branch to deploy instead of the one of the project',
    },
    'include-env': { type: 'boolean', help: 'upload .env files too' },
  },
  async run({ args: [given = '.'], values, out, instance }) {
    if (values.branch && !values.git) throw new UsageError('--branch goes with --git');
    const here = instance();
    const client = signedInClient(here);
    const root = folderAt(given);
    const newName = values.git ? undefined : await nameOfNewProject(client, root, values.project);
    if (newName !== undefined) {
      const content = await collectContent(root, values['include-env'] ?? false);
      const sessionId = await sendFolder(here, client, { root, content }, out);
      return showFirst(client, { name: newName, sessionId }, out);
    }
    const { id: projectId } = await projectOfFolder(client, root, values.project);
    const { environment, branch } = values;
    const common = { projectId, ...(environment && { environment }) };
    if (values.git) return show(client, { ...common, ...(branch && { branch }) }, out);
    const content = await collectContent(root, values['include-env'] ?? false);
    const uploadSessionId = await sendFolder(here, client, { projectId, root, content }, out);
    const wasReady = (await deploymentsOf(client, projectId, 1, { status: 'ready' })).length > 0;
    const detection = wasReady ? undefined : await detectionOf(client, uploadSessionId);
    return show(client, { ...common, uploadSessionId }, out, detection);
  },
});

type Wanted = { projectId: string; environment?: string; branch?: string; uploadSessionId?: string };

async function show(client: Client, body: Wanted, out: Output, detection?: Detection): Promise<void> {
  const { data }: { data: Plan } = await unwrap(client.POST('/api/deployments/plan', { body }));
  const texts = () => [...(detection ? [detectionText(detection)] : []), planText(data)];
  out.print({ ...data, ...(detection && { detection }) }, () => texts().filter(Boolean).join('\n\n'));
}

const detectionOf = async (client: Client, sessionId: string): Promise<Detection> =>
  (await unwrap(client.POST('/api/projects/folder/scan', { body: { sessionId } }))).data;

/** Shows the plan of a project that does not exist yet. */
async function showFirst(client: Client, { name, sessionId }: { name: string; sessionId: string }, out: Output) {
  const query = { name };
  const { data: address } = await unwrap(client.GET('/api/projects/new-address', { params: { query } }));
  const detection = await detectionOf(client, sessionId);
  const newProject = { name, slug: address.slug, url: address.url };
  const first = firstPlan(newProject, detection);
  out.print({ ...first, newProject, detection }, () =>
    [newProjectText(newProject), detectionText(detection), planText(first)].filter(Boolean).join('\n\n'),
  );
}
