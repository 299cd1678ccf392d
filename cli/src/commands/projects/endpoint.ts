import { defineCommand } from '../../command.ts';
import { applyNow, applyOption, noteTakesEffectLater } from '../../deployments/apply.ts';
import { activeRelease, findProject, type Project } from '../../deployments/find.ts';
import { Failure } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { type Instance, signedInClient } from '../../instance.ts';
import { type Column, type Output, plainText } from '../../output.ts';
import {
  type Endpoint,
  parseEndpoint,
  requireServices,
  saveEndpoints,
  hasNoPublicService,
  publicServicesOfRelease,
} from '../../projects/endpoints.ts';

/** A service of the release, an endpoint of the settings, or both. */
type Row = { service: string; endpoint: Endpoint | undefined; urls: string[] };

const columns: Column<Row>[] = [
  { heading: 'SERVICE', value: ({ service }) => service },
  { heading: 'ADDRESS', value: ({ urls }) => urls.join(', ') || 'not public' },
  { heading: 'SETTING', value: ({ endpoint }) => (endpoint ? textOf(endpoint) : '-') },
];

const list = defineCommand({
  name: 'endpoint list',
  parameters: ['[project]'],
  summary: 'List the services of a project with their addresses',
  description: 'Default: the project of this folder. SETTING is what mooring endpoint set or add has set.',
  async run({ args: [named], out, instance }) {
    const client = signedInClient(instance());
    const project = await projectHere(client, named);
    const release = await activeRelease(client, project.id);
    const rows = rowsOf(project, release ? await publicServicesOfRelease(client, release) : []);
    out.list(rows, columns);
    if (!release) out.note(`${plainText(project.name)} has no active release: addresses exist after a deployment.`);
    else if (!release.urls.length) out.note(nothingPublic(project));
  },
});

function rowsOf({ publicEndpoints }: Project, services: { service: string; urls: string[] }[]): Row[] {
  const running = services.flatMap(({ service, urls }): Row[] => {
    const own = publicEndpoints.filter((each) => each.service === service);
    return (own.length ? own : [undefined]).map((endpoint) => ({ service, endpoint, urls }));
  });
  const others = publicEndpoints.filter(
    (each) => !each.none && !services.some(({ service }) => service === each.service),
  );
  return [...running, ...others.map((endpoint) => ({ service: endpoint.service ?? '-', endpoint, urls: [] }))];
}

const nothingPublic = ({ name, slug, publicEndpoints }: Project): string =>
  hasNoPublicService(publicEndpoints)
    ? `No service of ${plainText(name)} is public, as set.`
    : `No service of ${plainText(name)} can be reached: none publishes a port for HTTP. Choose one: mooring endpoint set ${slug} <service>:<port>`;

const set = defineCommand({
  name: 'endpoint set',
  parameters: ['<project>', '<service[:port]...>'],
  summary: 'Choose the public services of a project, or none; others are not public',
  description: [
    'mooring endpoint set shop web:3000 api:8080',
    'mooring endpoint set shop none',
    'The first service gets the address of the project, others one below it. Without a port, the port of the compose file',
    'or of the image counts. With none, no service is public. Custom domains: mooring domain add.',
  ].join('\n'),
  options: { apply: applyOption },
  async run({ args: [named = '', ...texts], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const endpoints = texts.join() === 'none' ? [{ none: true as const }] : texts.map(parseEndpoint);
    requireServices(await activeRelease(client, project.id), endpoints);
    return saved(here, await saveEndpoints(client, project, endpoints), values, out);
  },
});

const add = defineCommand({
  name: 'endpoint add',
  parameters: ['<project>', '<service[:port]>'],
  summary: 'Make another service of a project public',
  description: 'Services that are public now stay public. An endpoint of the service without an own name is replaced.',
  options: {
    name: { type: 'string', value: '<name>', help: "name below the instance's domain, instead of the usual one" },
    domain: { type: 'string', value: '<domain>', help: 'custom domain' },
    path: { type: 'string', value: '<path>', help: 'serve only requests below this path' },
    apply: applyOption,
  },
  async run({ args: [named = '', text = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const release = await activeRelease(client, project.id);
    const added: Endpoint = {
      ...parseEndpoint(text),
      ...(values.name && { domain: values.name, domainType: 'free' }),
      ...(values.domain && { customDomain: values.domain }),
      ...(values.path && { targetPath: values.path }),
    };
    requireServices(release, [added]);
    const before = project.publicEndpoints.length
      ? project.publicEndpoints.filter(({ none }) => !none)
      : (release ? await publicServicesOfRelease(client, release) : [])
          .filter(({ urls }) => urls.length)
          .map(({ service }): Endpoint => ({ service }));
    const kept = before.filter((each) => each.service !== added.service || each.domain || each.customDomain);
    return saved(here, await saveEndpoints(client, project, [...kept, added]), values, out);
  },
});

const remove = defineCommand({
  name: 'endpoint remove',
  parameters: ['<project>', '<service>'],
  summary: 'Remove the endpoints of a service; without any, the source decides again',
  options: { apply: applyOption },
  async run({ args: [named = '', service = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const left = project.publicEndpoints.filter((each) => each.service !== service);
    if (left.length === project.publicEndpoints.length)
      throw new Failure(`${project.name} has no endpoint of ${service}; see: mooring endpoint list ${project.slug}`);
    return saved(here, await saveEndpoints(client, project, left), values, out);
  },
});

async function saved(instance: Instance, project: Project, { apply }: { apply?: boolean }, out: Output): Promise<void> {
  const { name, publicEndpoints } = project;
  const sentence = hasNoPublicService(publicEndpoints)
    ? `No service of ${plainText(name)} is public.`
    : publicEndpoints.length
      ? `Public services of ${plainText(name)}: ${publicEndpoints.map((each) => plainText(textOf(each))).join(', ')}.`
      : `The source decides which services of ${plainText(name)} are public.`;
  if (apply) {
    out.note(sentence);
    return applyNow(instance, project, out);
  }
  out.print(publicEndpoints, () => sentence);
  await noteTakesEffectLater(signedInClient(instance), project, out);
}

/** `web:3000 at shop.example.com/admin`. */
function textOf({ service = 'app', port, domain, customDomain, targetPath = '' }: Endpoint): string {
  const at = `${customDomain ?? domain ?? ''}${targetPath}`;
  return `${service}${port === undefined ? '' : `:${port}`}${at && ` at ${at}`}`;
}

export const endpointCommands = [list, set, add, remove];
