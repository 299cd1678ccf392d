import {
  ComposeError,
  type ComposeProject,
  findComposeFiles,
  type ComposeProblem,
  readServiceEntries,
  withCauses,
} from '../../../../compose/index.ts';
import { readDocument } from '../../../../compose/document.ts';
import { folderTree } from '../../../../detect/folder-tree.ts';
import { BuildRefusedError } from '../../../../drivers/images/errors.ts';
import { type DeploymentConfig, StepError } from '../../model/model.ts';
import {
  composeError,
  ignoredFieldWarnings,
  requireFewNetworks,
  requireFreePorts,
  rejectUnworkableFields,
  withoutAddresses,
  withoutHostPorts,
} from '../checks/checks.ts';
import { withoutEdgePorts } from '../checks/edge-ports.ts';
import { withHostPaths } from '../checks/host-paths.ts';
import { requireLinksInside } from '../checks/links.ts';
import { requireValidNames } from '../checks/names.ts';
import { requireTrust } from '../checks/trust.ts';
import { candidatesOf } from '../endpoints/candidates.ts';
import { imageDigests, serviceDigests } from '../digests/digests.ts';
import { SourceDigests } from '../digests/source.ts';
import type { Stack } from '../../model/stack.ts';
import { storeContents } from './contents.ts';
import type { StackInput } from './input.ts';
import { parseGenerating } from './generated-variables.ts';
import { fetchGitContexts } from './git-contexts.ts';
import { composeOfSource, noContainers } from './source.ts';

export interface ReadStack {
  stack: Stack;
  warnings: ComposeProblem[];
}

/** Reads the services to deploy; undefined for a single app. */
export async function readStack(input: StackInput): Promise<ReadStack | undefined> {
  try {
    const project = await projectOf(input);
    return project && (await stackOf(input, project).catch((error: unknown) => explained(error, project)));
  } catch (error) {
    if (error instanceof BuildRefusedError) throw new StepError('build_refused', error.message);
    throw composeError(error as Error, input.slug);
  }
}

/** An unset variable may be the reason, such as that of an image's tag. */
function explained(error: unknown, { warnings }: ComposeProject): never {
  throw error instanceof ComposeError ? new ComposeError(withCauses(error.problems, warnings)) : error;
}

async function projectOf(input: StackInput): Promise<ComposeProject | undefined> {
  const { config, slug } = input;
  if (config.services?.length) return requestProject(input, readServiceEntries(slug, config.services));
  if (isOfDocument(input)) return requestProject(input, await readDocument(slug, config.document!));
  if (!input.hasSource) throw new StepError('nothing_to_run', 'there are no services to deploy');
  const tree = folderTree(input.folder);
  const files = await findComposeFiles(tree, input.rootDirectory);
  const environment = valuesOf(config);
  if (!files.length && !environment['COMPOSE_FILE']) return undefined;
  const options = { folder: input.rootDirectory, name: slug, environment };
  const parse = () => parseGenerating(tree, options, input);
  const isChosen = Boolean(environment['COMPOSE_FILE']);
  return composeOfSource({ ...input, tree, file: files[0] ?? 'the compose file', isChosen, parse });
}

/** What a project was adopted with counts until a request or a source says something else. */
const isOfDocument = ({ config: { services, document }, hasSource }: StackInput): boolean =>
  !services?.length && !hasSource && document !== undefined;

/**
 * Services of a request or of a stored document inherit the project's variables, like an app; their own take
 * precedence.
 */
function requestProject({ config, hasSource, hasContainers }: StackInput, project: ComposeProject): ComposeProject {
  if (!hasContainers) throw noContainers('services need');
  const built = project.services.find(({ build, app }) => build ?? app);
  if (built && !hasSource)
    throw new StepError(
      'no_source',
      `${built.at.file}: ${built.name} is built from source, and this project has no source`,
      'Give it an image, or the project a source.',
    );
  const variables = valuesOf(config);
  const services = project.services.map((service) => {
    // A variable without a value takes the project's.
    const own = Object.entries(service.environment).filter(([key, value]) => value !== null || !(key in variables));
    return { ...service, environment: { ...variables, ...Object.fromEntries(own) } };
  });
  return { ...project, services };
}

async function stackOf(input: StackInput, written: ComposeProject): Promise<ReadStack> {
  const asked = input.mode === 'cloud' ? withoutAddresses(written) : written;
  const wasAdopted = isOfDocument(input);
  requireTrust(asked, input, wasAdopted);
  const resolved = await withHostPaths(asked, { slug: input.slug, home: input.homeFolder });
  rejectUnworkableFields(resolved);
  requireValidNames(resolved);
  if (input.mode === 'cloud') requireFewNetworks(resolved);
  const limited = input.mode === 'cloud' ? withoutHostPorts(resolved) : withoutEdgePorts(resolved, input.edgePorts);
  const { project } = limited;
  requireFreePorts(project);
  requireEndpoints(project, input.config);
  if (input.hasSource) await fetchGitContexts(input, project);
  if (input.hasSource) await requireLinksInside(input.folder, project);
  const contents = await storeContents(input, project);
  const { folder, config, mode, bounds } = input;
  const candidates = wasAdopted ? [] : await candidatesOf(project, folderTree(folder));
  const digesting = { folder, project, config, mode, bounds, contents, candidates };
  const source = new SourceDigests(folder);
  const digests = await serviceDigests(digesting, source);
  const images = await imageDigests(digesting, source);
  const secrets = [
    ...config.variables.filter(({ secret }) => secret).map(({ value }) => value),
    ...input.generated,
    ...project.secrets.flatMap(({ content }) => (content === null ? [] : [content])),
  ];
  const told = await withAdoptedValues(input, project.warnings);
  const warnings = [...told, ...limited.warnings, ...ignoredFieldWarnings(project, input)];
  const hidden = [...new Set(secrets)].filter(Boolean);
  const stack = {
    project,
    digests,
    images,
    contents,
    secrets: hidden,
    candidates,
    ...(wasAdopted && { wasAdopted: true as const }),
  };
  return { stack, warnings };
}

/** A variable that is not set may have been in the `.env` file from which an adopted container was started. */
async function withAdoptedValues({ config, slug }: StackInput, warnings: ComposeProblem[]): Promise<ComposeProblem[]> {
  if (config.document === undefined || !warnings.some(({ unset }) => unset)) return warnings;
  const { services } = await readDocument(slug, config.document);
  const told = new Set<string>();
  return warnings.map((warning) => {
    if (!warning.unset || told.has(warning.unset.name)) return warning;
    const { name, of } = warning.unset;
    const [found] = services.flatMap(({ name: service, environment }) =>
      [name, ...(of?.service === service ? [of.key] : [])]
        .filter((key) => Object.hasOwn(environment, key) && environment[key])
        .map((key) => ({ service, key })),
    );
    if (!found) return warning;
    told.add(name);
    const had = `the adopted service ${found.service} has a value in ${found.key}`;
    const how = `mooring env set ${slug} ${name}, or deploy with --include-env`;
    return { ...warning, message: `${warning.message}, but ${had}. Set it: ${how}` };
  });
}

function requireEndpoints({ services }: ComposeProject, { publicEndpoints = [] }: DeploymentConfig): void {
  const unknown = publicEndpoints.find(
    ({ service }) => service !== undefined && !services.some(({ name }) => name === service),
  );
  if (unknown)
    throw new StepError(
      'unknown_service',
      `publicEndpoints names the service ${unknown.service}, which does not exist`,
      `There are ${services.map(({ name }) => name).join(', ')}.`,
    );
}

const valuesOf = ({ variables }: DeploymentConfig): Record<string, string> =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]));
