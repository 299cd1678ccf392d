import type { Client, Schemas } from '@mooring/client';
import { Failure, UsageError } from '../errors.ts';
import { closestMatch } from '../closest-match.ts';
import { findServer } from '../servers/find.ts';

type Project = Schemas['Project'];

/** The body of a project update. */
export type ProjectChange = Partial<Omit<Project, 'id' | 'url' | 'deployTarget' | 'cloud' | 'createdAt' | 'updatedAt'>>;

type Kind = 'text' | 'number' | 'boolean' | 'json';

interface Field {
  kind: Kind;
  help: string;
  /** The value after unsetting; other fields are detected or empty. */
  byDefault?: unknown;
  /** It cannot be unset. */
  isRequired?: boolean;
  /** An empty value is one of its own: no command. */
  mayBeEmpty?: boolean;
  /** It takes effect with the next deployment. */
  isOfRelease?: boolean;
}

/** Fields of a project by their API names, in the order of `project show`. */
export const projectFields: Record<string, Field> = {
  name: { kind: 'text', help: 'the name', isRequired: true },
  slug: { kind: 'text', help: 'first part of the address', isRequired: true, isOfRelease: true },
  branch: { kind: 'text', help: 'branch to deploy, for a git source' },
  server: { kind: 'text', help: 'name or id of the server to deploy to', isOfRelease: true },
  rootDirectory: { kind: 'text', help: 'folder of the app in the source', isOfRelease: true },
  installCommand: { kind: 'text', help: 'command that installs dependencies', isOfRelease: true, mayBeEmpty: true },
  buildCommand: { kind: 'text', help: 'command that builds the app', isOfRelease: true, mayBeEmpty: true },
  startCommand: { kind: 'text', help: 'command that starts the app', isOfRelease: true },
  releaseCommand: {
    kind: 'text',
    help: 'command that runs once before each release, such as a migration',
    isOfRelease: true,
    mayBeEmpty: true,
  },
  outputDirectory: { kind: 'text', help: 'output folder of a static site', isOfRelease: true },
  port: { kind: 'number', help: 'port that the app listens on', isOfRelease: true },
  'healthCheck.type': { kind: 'text', help: 'http or tcp', isOfRelease: true },
  'healthCheck.path': {
    kind: 'text',
    help: 'path that must respond before the release gets requests',
    isOfRelease: true,
  },
  'healthCheck.timeoutSeconds': { kind: 'number', help: 'seconds that the app may take to start', isOfRelease: true },
  'resources.memoryMb': { kind: 'number', help: 'memory limit in MB', isOfRelease: true },
  'resources.cpus': { kind: 'number', help: 'CPU limit in cores, for containers', isOfRelease: true },
  'resources.readOnly': {
    kind: 'boolean',
    help: 'whether the file system of the container is read-only',
    isOfRelease: true,
  },
  buildLabels: {
    kind: 'json',
    help: 'labels that the build worker must have, as a JSON list',
    byDefault: [],
    isOfRelease: true,
  },
  buildPlatforms: {
    kind: 'json',
    help: 'platforms to build for besides those of its machines, as a JSON list',
    byDefault: [],
    isOfRelease: true,
  },
  replicas: { kind: 'number', help: 'number of replicas', byDefault: 1 },
  rollbackWindow: { kind: 'number', help: 'number of previous releases to keep', byDefault: 5 },
  autoDeploy: { kind: 'boolean', help: 'deploy pushes automatically', byDefault: true },
  requireApproval: { kind: 'boolean', help: 'ask for approval before each release', byDefault: false },
  trusted: { kind: 'boolean', help: 'access to the machine; see mooring project trust', byDefault: false },
  publicEndpoints: {
    kind: 'json',
    help: 'services, ports and domains, as a JSON list; see mooring endpoint',
    byDefault: [],
    isOfRelease: true,
  },
};

/** The current value as text; empty if unset. */
export function projectFieldText(project: Project, name: string): string {
  const value = fieldIn(project, name);
  if (value === null || value === undefined || (Array.isArray(value) && !value.length)) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fieldIn(project: Project, name: string): unknown {
  if (name === 'branch') return 'branch' in project.source ? project.source.branch : undefined;
  if (name === 'server') return project.serverId;
  const [first = '', second] = name.split('.');
  const value = project[first as keyof Project] as unknown;
  return second === undefined ? value : (value as Record<string, unknown>)[second];
}

/** Builds the body of an update from `field=value` pairs and the fields to unset. */
export async function projectChangeOf(
  client: Client,
  project: Project,
  { set, unset }: { set: string[]; unset: string[] },
): Promise<ProjectChange> {
  const wanted = [...set.map(assignment), ...unset.map((name): Assignment => [requireField(name), undefined])];
  const change: Record<string, unknown> = {};
  for (const [name, text] of wanted) {
    const value = text === undefined ? unsetValue(name) : parsed(name, text);
    const [first = '', second] = name.split('.');
    if (name === 'branch') change['source'] = withBranch(project, value as string | undefined);
    else if (name === 'server')
      change['serverId'] = value === undefined ? null : (await findServer(client, value as string)).id;
    else if (second === undefined) change[first] = value === undefined ? null : value;
    // The API replaces such an object as a whole.
    else change[first] = { ...(change[first] ?? (project[first as keyof Project] as object)), [second]: value };
  }
  return change as ProjectChange;
}

type Assignment = [name: string, text: string | undefined];

function assignment(text: string): Assignment {
  const equals = text.indexOf('=');
  if (equals < 0) throw new UsageError(`${text} has no value; use ${text}=<value>, or --unset ${text}`);
  const [name, value] = [requireField(text.slice(0, equals)), text.slice(equals + 1)];
  return [name, projectFields[name]!.mayBeEmpty ? value : value || undefined];
}

function requireField(name: string): string {
  if (Object.hasOwn(projectFields, name)) return name;
  const names = Object.keys(projectFields);
  const near = closestMatch(name, names);
  throw new UsageError(
    `a project has no field ${name}; ${near ? `did you mean ${near}?` : `it has ${names.join(', ')}`}`,
  );
}

function unsetValue(name: string): unknown {
  const { isRequired, byDefault } = projectFields[name]!;
  if (isRequired) throw new UsageError(`${name} cannot be unset`);
  return byDefault;
}

function parsed(name: string, text: string): unknown {
  const { kind } = projectFields[name]!;
  if (kind === 'number') {
    const number = Number(text);
    if (Number.isNaN(number)) throw new UsageError(`${name} must be a number, not ${text}`);
    return number;
  }
  if (kind === 'boolean') {
    if (!/^(true|false|yes|no|on|off)$/i.test(text)) throw new UsageError(`${name} must be true or false, not ${text}`);
    return /^(true|yes|on)$/i.test(text);
  }
  return kind === 'json' ? parsedJson(name, text) : text;
}

function parsedJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} must be JSON: ${(error as Error).message}`);
  }
}

function withBranch({ name, source }: Project, branch: string | undefined): Project['source'] {
  if (source.type !== 'git' && source.type !== 'githost')
    throw new Failure(`${name} has no branch: its source is ${source.type}; see: mooring link --help`);
  const { branch: _, ...rest } = source;
  return branch === undefined ? rest : { ...rest, branch };
}
