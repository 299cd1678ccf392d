import { readFile } from 'node:fs/promises';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { findProject, type Project } from '../deployments/find.ts';
import { Failure, UsageError } from '../errors.ts';
import { signedInClient } from '../instance.ts';
import { nearest } from '../nearest.ts';
import { type Column, plain, shortTime } from '../output.ts';
import { wholeNumber } from '../whole-number.ts';

type Domain = Schemas['Domain'];

const columns: Column<Domain>[] = [
  { heading: 'NAME', value: ({ name, isPrimary }) => (isPrimary ? `${name} *` : name) },
  { heading: 'LEADS TO', value: leadsTo },
  { heading: 'DNS', value: ({ pointing }) => (pointing ? dnsWords[pointing.status] : 'not looked at') },
  { heading: 'CERTIFICATE', value: ({ certificate }) => (certificate ? `${certificate.daysLeft} days left` : 'none') },
  { heading: 'ACTION REQUIRED', value: ({ action }) => action.message ?? '' },
];

const dnsWords: Record<NonNullable<Domain['pointing']>['status'], string> = {
  here: 'ok',
  not_found: 'no address',
  elsewhere: 'elsewhere',
  unreachable: 'not reached',
};

function leadsTo({ redirectTo, service, path, environment }: Domain): string {
  if (redirectTo) return `redirect to ${redirectTo}`;
  const what = service ?? 'the app';
  return [`${what}${path === '/' ? '' : ` below ${path}`}`, environment === 'production' ? '' : `(${environment})`]
    .filter(Boolean)
    .join(' ');
}

const list = defineCommand({
  name: 'domain list',
  parameters: ['<project>'],
  summary: 'List the domains of a project; * is the primary one',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    out.list(await domainsOf(client, await findProject(client, named)), columns);
  },
});

const add = defineCommand({
  name: 'domain add',
  parameters: ['<project>', '<name>'],
  summary: 'Have a project answer under a name of your own',
  description: [
    'It answers at once; a certificate is fetched as soon as the name leads to this instance.',
    'mooring domain add shop www.example.com --redirect-to example.com',
  ].join('\n'),
  options: {
    environment: { type: 'string', value: '<name>', help: 'production, unless given' },
    service: { type: 'string', value: '<service>', help: 'which of several services' },
    path: { type: 'string', value: '<path>', help: 'only what is below this path' },
    'redirect-to': { type: 'string', value: '<name>', help: 'send visitors there instead of answering' },
    primary: { type: 'boolean', help: 'the first of the addresses that are shown' },
    'without-https': { type: 'boolean', help: 'answer those who come without TLS, too' },
    hsts: { type: 'string', value: '<seconds>', help: 'tell browsers to come by HTTPS only, for so long' },
  },
  async run({ args: [named = '', name = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findProject(client, named);
    const body = {
      name,
      ...(values.environment && { environment: values.environment }),
      ...(values.service && { service: values.service }),
      ...(values.path && { path: values.path }),
      ...(values['redirect-to'] && { redirectTo: values['redirect-to'] }),
      ...(values.primary && { isPrimary: true }),
      ...(values['without-https'] && { https: 'optional' as const }),
      ...(values.hsts && { hstsSeconds: wholeNumber('hsts', values.hsts)! }),
    };
    await unwrap(client.POST('/api/projects/{id}/domains', { params: { path: { id } }, body }));
    const data = await checked(client, id, name);
    out.print(data, () => told(data));
  },
});

const check = defineCommand({
  name: 'domain check',
  parameters: ['<project>', '<name>'],
  summary: 'Look whether a domain leads here and has a certificate',
  async run({ args: [named = '', name = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const data = await checked(client, project.id, (await findDomain(client, project, name)).name);
    out.print(data, () => told(data));
    if (data.action.required) process.exitCode = 1;
  },
});

const remove = defineCommand({
  name: 'domain remove',
  parameters: ['<project>', '<name>'],
  summary: 'Take a domain away from a project; what is deployed goes on under its other names',
  async run({ args: [named = '', name = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const found = await findDomain(client, project, name);
    const path = { id: project.id, name: found.name };
    await unwrap(client.DELETE('/api/projects/{id}/domains/{name}', { params: { path } }));
    out.print(
      { name: found.name, removed: true },
      () => `${found.name} does not lead to ${plain(project.name)} any more.`,
    );
  },
});

const renew = defineCommand({
  name: 'domain renew',
  parameters: ['<name>'],
  summary: 'Fetch a new certificate for a domain now',
  async run({ args: [domain = ''], out, instance }) {
    const client = signedInClient(instance());
    const { data } = await unwrap(client.POST('/api/deployments/ssl/renew', { body: { domain } }));
    out.print(data, () => `${domain} has a new certificate, good until ${shortTime(data.validTo)}.`);
  },
});

const certificate = defineCommand({
  name: 'domain certificate',
  parameters: ['<project>', '<name>'],
  summary: 'Use a certificate of your own for a domain, or let it be fetched again',
  options: {
    certificate: { type: 'string', value: '<file>', help: 'PEM: the certificate, then those up to its authority' },
    key: { type: 'string', value: '<file>', help: 'PEM: its private key' },
    remove: { type: 'boolean', help: 'forget it; one is fetched from the authority again' },
  },
  async run({ args: [named = '', name = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const path = { id: project.id, name };
    if (values.remove) {
      await unwrap(client.DELETE('/api/projects/{id}/domains/{name}/certificate', { params: { path } }));
      return out.print({ name, removed: true }, () => `${name} has no certificate of your own any more.`);
    }
    if (!values.certificate || !values.key) throw new UsageError('give --certificate and --key, or --remove');
    const [chain, privateKey] = await Promise.all([readFile(values.certificate, 'utf8'), readFile(values.key, 'utf8')]);
    const body = { certificate: chain, privateKey };
    const { data } = await unwrap(
      client.PUT('/api/projects/{id}/domains/{name}/certificate', { params: { path }, body }),
    );
    return out.print(data, () => `${name} is served with it, until ${shortTime(data.validTo)}.`);
  },
});

async function domainsOf(client: Client, { id }: Pick<Project, 'id'>): Promise<Domain[]> {
  return (await unwrap(client.GET('/api/projects/{id}/domains', { params: { path: { id } } }))).data;
}

async function findDomain(client: Client, project: Project, name: string): Promise<Domain> {
  const all = await domainsOf(client, project);
  const found = all.find((each) => each.name === name.toLowerCase());
  if (found) return found;
  const names = all.map((each) => each.name);
  const near = nearest(name, names);
  const hint = near ? `did you mean ${near}?` : names.length ? `it has ${names.join(', ')}` : 'it has none';
  throw new Failure(`${project.name} has no domain ${name}; ${hint}`);
}

async function checked(client: Client, id: string, name: string): Promise<Domain> {
  const { data } = await unwrap(
    client.POST('/api/projects/{id}/domains/{name}/check', { params: { path: { id, name } } }),
  );
  return data;
}

function told({ name, url, action, certificate }: Domain): string {
  if (!action.required) return `${name} answers at ${url}${certificate ? '' : '; its certificate is on its way'}.`;
  return [`${name} is there. Action required: ${action.message}`, ...(action.fix ? [action.fix] : [])].join('\n');
}

export const domainCommands = [list, add, check, renew, certificate, remove];
