import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { allProjects, findProject, matching } from '../deployments/find.ts';
import { followToEnd } from '../deployments/follow.ts';
import { Failure, UsageError } from '../errors.ts';
import { type NamedProject, projectNameOf, rememberProject } from '../folder/project-name.ts';
import { contentOf, folderAt, sendFolder } from '../folder/source.ts';
import { signedInClient } from '../instance.ts';
import { type Output, plain } from '../output.ts';
import { findServer } from '../servers/find.ts';
import { ask, isInteractive } from '../prompt.ts';

export const deploy = defineCommand({
  name: 'deploy',
  parameters: ['[folder]'],
  summary: 'Deploy a folder, or a project from its git source, and print the address',
  description: [
    'The project is the one of --project, of mooring.json in the folder ({"project": "name"}, written the first time),',
    'of package.json, or of the name of the folder. What .gitignore and .mooringignore name is not uploaded, nor are',
    '.git, node_modules and .env files; variables are set with: mooring env set.',
    'The address goes to standard output, everything else to standard error.',
    'Exit code 1: it failed. 3: only some of its services work, and it waits for mooring keep or mooring reject.',
  ].join('\n'),
  options: {
    project: { type: 'string', short: 'p', value: '<project>', help: 'name or id of the project' },
    environment: { type: 'string', value: '<name>', help: 'production, unless given' },
    git: { type: 'boolean', help: 'deploy from the git source of the project instead of the folder' },
    branch: { type: 'string', value: '<branch>', help: 'with --git: another branch than that of the project' },
    server: {
      type: 'string',
      value: '<server>',
      help: 'deploy to this server, by its name or id; the project stays there',
    },
    'build-here': { type: 'boolean', help: 'with --server: build on the machine of Mooring and take the image there' },
    detach: { type: 'boolean', help: 'print the id of the deployment and do not wait' },
    'include-env': { type: 'boolean', help: 'upload .env files too' },
    'no-save': { type: 'boolean', help: 'do not write mooring.json' },
  },
  async run({ args: [given = '.'], values, out, instance }) {
    if (values.branch && !values.git) throw new UsageError('--branch goes with --git');
    if (values.server && values.git)
      throw new UsageError('a project from git goes where it is: mooring projects says where');
    if (values['build-here'] && !values.server) throw new UsageError('--build-here goes with --server');
    const here = instance();
    const client = signedInClient(here);
    const root = folderAt(given);
    const named = projectNameOf(root, values.project);
    const { environment } = values;
    if (values.git) {
      const { id: projectId } = await findProject(client, named.name);
      const body = { projectId, branch: values.branch, ...(environment && { environment }) };
      const { data } = await unwrap(client.POST('/api/deployments', { body }));
      return arrive(data.id);
    }
    const target = values.server ? await targetOf(client, values.server, values['build-here'] ?? false) : {};
    const content = await contentOf(root, values['include-env'] ?? false);
    const projectId = await ensureProject(client, named, out);
    const uploadSessionId = await sendFolder(here, client, { projectId, root, content }, out);
    const body = { projectId, uploadSessionId, ...(environment && { environment }), ...target };
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    if (!values['no-save'] && rememberProject(root, named.name))
      out.note('mooring.json remembers the project for the next time.');
    return arrive(id);

    async function arrive(id: string): Promise<void> {
      if (values.detach) return out.print({ id }, () => id);
      out.note(`Deployment ${id}`);
      await followToEnd(here, id, out);
    }
  },
});

/** Looked for before anything is uploaded. */
async function targetOf(client: Client, server: string, isBuiltHere: boolean) {
  const { id: serverId } = await findServer(client, server);
  return { deployTarget: 'server' as const, serverId, ...(isBuiltHere && { buildStrategy: 'local' as const }) };
}

/** A guess may hit a project that has nothing to do with this folder, so a person is asked first. */
async function ensureProject(client: Client, { name, source }: NamedProject, out: Output): Promise<string> {
  const existing = matching(await allProjects(client), name);
  const isGuess = source !== '--project' && source !== 'mooring.json';
  if (existing && isGuess && isInteractive()) {
    const answer = await ask(`There is a project ${plain(existing.name)} already. Deploy to it (yes, no)`, 'yes');
    if (!/^y(es)?$/i.test(answer)) throw new Failure('nothing was deployed; name a project with --project');
  }
  if (existing) {
    out.note(`Project ${plain(existing.name)} (named by ${source})`);
    return existing.id;
  }
  if (name.startsWith('prj_')) throw new Failure(`there is no project ${name}; see: mooring projects`);
  const { project_id: id } = await unwrap(client.POST('/api/projects/ensure', { body: { name } }));
  out.note(`New project ${plain(name)} (named by ${source})`);
  return id;
}
