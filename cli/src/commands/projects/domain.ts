import { readFile } from 'node:fs/promises';
import { ApiError, type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { activeRelease, findProject, type Project, requireService } from '../../deployments/find.ts';
import { type Domain, domainsOf, findDomain, rejectUrl } from '../../domains/find.ts';
import { domainColumns, domainSentence } from '../../domains/show.ts';
import { Failure, UsageError } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { plainText, shortTime } from '../../output.ts';
import { wholeNumber } from '../../whole-number.ts';

const list = defineCommand({
  name: 'domain list',
  parameters: ['[project]'],
  summary: 'List the domains of a project; * marks the primary one',
  description: 'Default: the project of this folder.',
  async run({ args: [named], out, instance }) {
    const client = signedInClient(instance());
    out.list(await domainsOf(client, await projectHere(client, named)), domainColumns);
  },
});

const add = defineCommand({
  name: 'domain add',
  parameters: ['<project>', '<name>'],
  summary: 'Add a domain to a project',
  description: [
    'It serves immediately; the certificate is issued once its DNS records point to this instance.',
    'mooring domain add shop www.example.com --redirect-to example.com',
  ].join('\n'),
  options: {
    environment: { type: 'string', value: '<name>', help: 'environment; default production' },
    service: { type: 'string', value: '<service>', help: 'service, if there are several' },
    path: { type: 'string', value: '<path>', help: 'serve only requests below this path' },
    'redirect-to': { type: 'string', value: '<name>', help: 'redirect requests there' },
    primary: { type: 'boolean', help: 'make it the primary domain' },
    'without-https': { type: 'boolean', help: 'also serve plain HTTP' },
    hsts: { type: 'string', value: '<seconds>', help: 'send an HSTS header with this max-age' },
  },
  async run({ args: [named = '', name = ''], values, out, instance }) {
    const client = signedInClient(instance());
    if (values.primary && values['redirect-to'])
      throw new UsageError('a domain that redirects cannot be primary: leave out --primary or --redirect-to');
    const project = await findProject(client, named);
    if (values.service) await requireRunning(client, project, values.environment, values.service);
    const { id } = project;
    const body = {
      name: rejectUrl(name),
      ...(values.environment && { environment: values.environment }),
      ...(values.service && { service: values.service }),
      ...(values.path && { path: values.path }),
      ...(values['redirect-to'] && { redirectTo: values['redirect-to'] }),
      ...(values.primary && { isPrimary: true }),
      ...(values['without-https'] && { https: 'optional' as const }),
      ...(values.hsts && { hstsSeconds: wholeNumber('hsts', values.hsts)! }),
    };
    const added = await unwrap(client.POST('/api/projects/{id}/domains', { params: { path: { id } }, body }));
    const data = await checked(client, id, added.data.name);
    const retry = `mooring domain check ${project.slug} ${data.name}`;
    out.print(data, () =>
      data.action.required
        ? `${data.name} is added, but needs one more step.\n${domainSentence(data)}\nThen: ${retry}`
        : domainSentence(data),
    );
  },
});

const update = defineCommand({
  name: 'domain update',
  parameters: ['<project>', '<name>'],
  summary: 'Change a domain; other settings keep their values',
  options: {
    service: { type: 'string', value: '<service>', help: 'service, if there are several; none: the default one' },
    path: { type: 'string', value: '<path>', help: 'serve only requests below this path; / for all' },
    'redirect-to': { type: 'string', value: '<name>', help: 'redirect requests there; none: serve them again' },
    primary: { type: 'boolean', help: 'make it the primary domain' },
    https: { type: 'string', value: '<how>', help: 'redirect, or optional to also serve plain HTTP' },
    hsts: { type: 'string', value: '<seconds>', help: 'HSTS max-age; none: no header' },
  },
  async run({ args: [named = '', given = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const { name, environment } = await findDomain(client, project, given);
    const service = orNone(values.service);
    if (service) await requireRunning(client, project, environment, service);
    const redirectTo = orNone(values['redirect-to']);
    const hsts = orNone(values.hsts);
    if (values.https && values.https !== 'redirect' && values.https !== 'optional')
      throw new UsageError('--https must be redirect or optional');
    const body = {
      ...(service !== undefined && { service }),
      ...(values.path && { path: values.path }),
      ...(redirectTo !== undefined && { redirectTo }),
      ...(values.primary && { isPrimary: true }),
      ...(values.https && { https: values.https as 'redirect' | 'optional' }),
      ...(hsts !== undefined && { hstsSeconds: hsts === null ? null : wholeNumber('hsts', hsts)! }),
    };
    if (!Object.keys(body).length) throw new UsageError('nothing to change; see mooring domain update --help');
    const params = { path: { id: project.id, name } };
    const { data } = await unwrap(client.PATCH('/api/projects/{id}/domains/{name}', { params, body }));
    out.print(data, () => domainSentence(data));
  },
});

/** `none` unsets a value. */
const orNone = (text: string | undefined): string | null | undefined => (text === 'none' ? null : text);

const check = defineCommand({
  name: 'domain check',
  parameters: ['<project>', '<name>'],
  summary: 'Check the DNS records and the certificate of a domain',
  async run({ args: [named = '', name = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const data = await checked(client, project.id, await nameToCheck(client, project, name));
    out.print(data, () => domainSentence(data));
    if (data.action.required) process.exitCode = 1;
  },
});

/** For a domain of another organization, the service knows how to prove ownership. */
async function nameToCheck(client: Client, project: Project, text: string): Promise<string> {
  try {
    return (await findDomain(client, project, text)).name;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await checked(client, project.id, rejectUrl(text)).catch((other: unknown) => {
      if (other instanceof ApiError && other.status === 409) throw other;
    });
    throw error;
  }
}

const remove = defineCommand({
  name: 'domain remove',
  parameters: ['<project>', '<name>'],
  summary: 'Remove a domain from a project; the release keeps serving at its other addresses',
  async run({ args: [named = '', name = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const found = await findDomain(client, project, name);
    const path = { id: project.id, name: found.name };
    await unwrap(client.DELETE('/api/projects/{id}/domains/{name}', { params: { path } }));
    out.print({ name: found.name, removed: true }, () => `${found.name} is removed from ${plainText(project.name)}.`);
  },
});

const renew = defineCommand({
  name: 'domain renew',
  parameters: ['<name>'],
  summary: 'Issue a new certificate for a domain now',
  async run({ args: [domain = ''], out, instance }) {
    const client = signedInClient(instance());
    const { data } = await unwrap(client.POST('/api/deployments/ssl/renew', { body: { domain: rejectUrl(domain) } }));
    out.print(data, () => `${data.domain} has a new certificate, valid until ${shortTime(data.validTo)}.`);
  },
});

const certificate = defineCommand({
  name: 'domain certificate',
  parameters: ['<project>', '<name>'],
  summary: 'Upload a certificate for a domain, or remove it to have one issued',
  options: {
    certificate: { type: 'string', value: '<file>', help: 'PEM file: the certificate, then the intermediates' },
    key: { type: 'string', value: '<file>', help: 'PEM file: the private key' },
    remove: { type: 'boolean', help: 'remove the uploaded certificate; a new one is issued' },
  },
  async run({ args: [named = '', given = ''], values, out, instance }) {
    if (!values.remove && !(values.certificate && values.key))
      throw new UsageError('give --certificate and --key, or --remove');
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const { name, certificate: present } = await findDomain(client, project, given);
    const path = { id: project.id, name };
    if (values.remove) {
      if (present?.source !== 'uploaded') throw new Failure(`${name} has no uploaded certificate`);
      await unwrap(client.DELETE('/api/projects/{id}/domains/{name}/certificate', { params: { path } }));
      return out.print({ name, removed: true }, () => `${name} no longer uses an uploaded certificate.`);
    }
    const body = {
      certificate: await contentOf('certificate', values.certificate!),
      privateKey: await contentOf('key', values.key!),
    };
    const { data } = await unwrap(
      client.PUT('/api/projects/{id}/domains/{name}/certificate', { params: { path }, body }),
    );
    for (const warning of data.warnings) out.note(plainText(`warning: ${warning}`));
    return out.print(data, () => `${name} uses the uploaded certificate, valid until ${shortTime(data.validTo)}.`);
  },
});

/** A domain for an unknown service would serve something else. Before the first release any name is accepted, and so
 * is one from a caller who may not read deployments. */
async function requireRunning(client: Client, { id }: Project, environment: string | undefined, service: string) {
  try {
    const running = await activeRelease(client, id, environment);
    if (running) requireService(running, service);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
}

async function checked(client: Client, id: string, name: string): Promise<Domain> {
  const { data } = await unwrap(
    client.POST('/api/projects/{id}/domains/{name}/check', { params: { path: { id, name } } }),
  );
  return data;
}

/** Adds the file name, which the system's message may lack. */
async function contentOf(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure(`--${option} ${path} cannot be read: ${(error as Error).message}`);
  }
}

export const domainCommands = [list, add, update, check, renew, certificate, remove];
