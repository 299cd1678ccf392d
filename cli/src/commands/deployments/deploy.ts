import { existsSync } from 'node:fs';
import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import type { Project } from '../../deployments/find.ts';
import { followToEnd } from '../../deployments/follow.ts';
import { warnOfFilesAtRisk } from '../../deployments/data-loss-warnings.ts';
import { answerOption, requireFollowed } from '../../deployments/question.ts';
import { UsageError } from '../../errors.ts';
import { chooseProject, linkFolder, projectOfFolder } from '../../folder/project-of-folder.ts';
import { choosePublicService, endpointOf } from '../../folder/public-service.ts';
import { appFolderIn, collectContent, folderAt, rootInside, sendFolder } from '../../folder/source.ts';
import { signedInClient } from '../../instance.ts';
import { aligned, type Output } from '../../output.ts';
import { saveEndpoints } from '../../projects/endpoints.ts';
import { findServer } from '../../servers/find.ts';

export const deploy = defineCommand({
  name: 'deploy',
  parameters: ['[folder]'],
  summary: 'Deploy a folder, or a project from its git source, and print the address',
  description: [
    'The first deployment of a folder creates a project, named by package.json or the folder, and links the folder to it',
    'in mooring.json. If a project of that name exists, the command asks before it deploys to it; without a terminal it',
    'fails, and --project <project> or --new=<name> says which project is meant.',
    'Files that .gitignore or .mooringignore match, .git, node_modules, .venv and .env files are not uploaded; set',
    'variables with: mooring env set.',
    'The address goes to standard output, everything else to standard error.',
    'If no service of a compose file publishes a port and several could be public, the command asks for one. Without a',
    'terminal it chooses the likeliest one and names it in the log; --service and --port set it.',
    'A folder with an app and a compose file of published images is deployed as the app; --compose deploys the services.',
    'If a change would leave data behind, the deployment asks first. Without a terminal it ends there, and changes',
    'nothing, unless --answer continue is given.',
    'Exit codes: 1 if the deployment failed, 3 if some services failed and it needs mooring keep or mooring reject.',
  ].join('\n'),
  options: {
    project: {
      type: 'string',
      short: 'p',
      value: '<project>',
      help: 'project to deploy to, by name or id; a new one if there is none',
    },
    new: {
      type: 'string',
      optional: true,
      value: '<name>',
      help: 'create a new project, named by package.json or the folder unless a name is given',
    },
    root: {
      type: 'string',
      value: '<folder>',
      help: 'folder of the app in a monorepo; everything is uploaded, and the project keeps this setting',
    },
    service: {
      type: 'string',
      value: '<service>',
      help: 'public service of a compose file; the project keeps this setting',
    },
    port: { type: 'string', value: '<port>', help: 'port of the public service; the project keeps this setting' },
    compose: {
      type: 'string',
      value: '<file>',
      help: 'deploy the services of this compose file, also if the folder is an app; the project keeps this setting',
    },
    yes: {
      type: 'boolean',
      short: 'y',
      help: 'create a new project also if its address is taken, or its name is like another',
    },
    environment: { type: 'string', value: '<name>', help: 'environment; default production' },
    git: { type: 'boolean', help: 'deploy from the git source of the project instead of the folder' },
    branch: {
      type: 'string',
      value: '<branch>',
      help: 'with --git: branch to deploy instead of the one of the project',
    },
    server: {
      type: 'string',
      value: '<server>',
      help: 'name or id of the server to deploy to; the project stays there',
    },
    'build-here': {
      type: 'boolean',
      help: 'with --server: build on the machine that runs Mooring and take the image there',
    },
    answer: answerOption,
    detach: { type: 'boolean', help: 'print the deployment id and do not wait' },
    'include-env': { type: 'boolean', help: 'upload .env files too' },
    'no-save': { type: 'boolean', help: 'do not write mooring.json' },
  },
  async run({ args: [given = '.'], values, out, instance }) {
    requireFollowed(values);
    const endpoint = endpointOf(values);
    if (values.branch && !values.git) throw new UsageError('--branch goes with --git');
    if (values.server && values.git)
      throw new UsageError('--git deploys to where the project runs; leave out --server');
    if (values['build-here'] && !values.server) throw new UsageError('--build-here goes with --server');
    if (values.new === '' && !existsSync(given))
      throw new UsageError(`${given} is not a folder; to name the new project: --new=${given}`);
    const here = instance();
    const client = signedInClient(here);
    const root = folderAt(given);
    const { environment } = values;
    if (values.git) {
      const project = await projectOfFolder(client, root, values.project);
      const { id: projectId } = project;
      await warnOfFilesAtRisk(client, projectId, environment, out);
      // The folder exists in the repository, but maybe not in this working copy.
      if (values.root !== undefined) await setRootDirectory(client, project, rootInside(root, values.root), out);
      if (endpoint) await saveEndpoints(client, project, [endpoint]);
      if (values.compose) await chooseComposeFile(client, project, values.compose);
      const body = { projectId, branch: values.branch, ...(environment && { environment }) };
      const { data } = await unwrap(client.POST('/api/deployments', { body }));
      return arrive(data.id);
    }
    const rootDirectory = values.root === undefined ? undefined : appFolderIn(root, values.root);
    const target = values.server ? await targetOf(client, values.server, values['build-here'] ?? false) : undefined;
    const contentNow = () => collectContent(root, values['include-env'] ?? false);
    // Rejects an empty folder before a project is created for it.
    await contentNow();
    const place = { client, instance: here, folder: root };
    const chosen = await chooseProject(place, { ...values, serverId: target?.serverId }, out);
    if (!values['no-save']) linkFolder(root, chosen, out);
    if (rootDirectory !== undefined) await setRootDirectory(client, chosen.project, rootDirectory, out);
    const project = endpoint ? await saveEndpoints(client, chosen.project, [endpoint]) : chosen.project;
    if (values.compose) await chooseComposeFile(client, project, values.compose);
    const { id: projectId } = project;
    if (!chosen.isNew) await warnOfFilesAtRisk(client, projectId, environment, out);
    // Linking has written mooring.json, so the content has to be read again.
    const content = await contentNow();
    const uploadSessionId = await sendFolder(here, client, { projectId, root, content }, out);
    const appFolder = rootDirectory ?? project.rootDirectory ?? '.';
    const uploaded = { client, project, root, folder: appFolder, sessionId: uploadSessionId };
    await choosePublicService({ ...uploaded, ...(values.compose && { deploys: 'compose' as const }) }, out);
    const body = { projectId, uploadSessionId, ...(environment && { environment }), ...target };
    const { deployment_id: id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    return arrive(id);

    async function arrive(id: string): Promise<void> {
      if (values.detach) return out.print({ id }, () => id);
      out.note(`Deployment ${id}`);
      await followToEnd(here, id, out, { answers: values.answer });
    }
  },
});

async function setRootDirectory(client: Client, project: Project, folder: string, out: Output): Promise<void> {
  const { id, rootDirectory } = project;
  if ((rootDirectory ?? '.') !== folder)
    await unwrap(client.PATCH('/api/projects/{id}', { params: { path: { id } }, body: { rootDirectory: folder } }));
  out.note(aligned(['App folder', folder], ['Organization'.length]));
}

/** Docker Compose reads the same variable. */
async function chooseComposeFile(client: Client, { id }: Project, file: string): Promise<void> {
  const body = { variables: { COMPOSE_FILE: { value: file, secret: false, buildTime: false } } };
  await unwrap(client.PATCH('/api/projects/{id}/variables', { params: { path: { id } }, body }));
}

/** Resolves the server before anything is uploaded. */
async function targetOf(client: Client, server: string, isBuiltHere: boolean) {
  const { id: serverId } = await findServer(client, server);
  return { deployTarget: 'server' as const, serverId, ...(isBuiltHere && { buildStrategy: 'local' as const }) };
}
