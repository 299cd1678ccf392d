import { posix } from 'node:path';
import { ComposeError, type ComposeProject, problemText } from '../../../../compose/index.ts';
import type { Detection, SourceTree } from '../../../../detect/detect.ts';
import { type DeploymentConfig, StepError } from '../../model/model.ts';
import type { StackInput } from './input.ts';

type ComposeInput = Pick<StackInput, 'found' | 'hasContainers' | 'activeServices' | 'log'> & {
  config: Pick<DeploymentConfig, 'installCommand' | 'buildCommand' | 'startCommand' | 'outputDirectory'>;
  tree: SourceTree;
  file: string;
  /** Whether the project names the file in `COMPOSE_FILE`. */
  isChosen: boolean;
  parse(): Promise<ComposeProject>;
};

export const noContainers = (whatNeeds: string) =>
  new StepError(
    'no_containers',
    `${whatNeeds} Docker, and this machine has none`,
    'Install Docker and restart Mooring, or set DOCKER_HOST, or deploy to a server that has Docker.',
  );

/**
 * Reads the project of a source's compose file; undefined if the file is not meant for deploying and the source is an
 * app.
 */
export async function composeOfSource(input: ComposeInput): Promise<ComposeProject | undefined> {
  const { found, config, file, log, hasContainers, activeServices, isChosen } = input;
  if (saysHowItIsBuilt(config)) {
    log(`${file} is ignored: the project settings say how to build`);
    return undefined;
  }
  if (!hasContainers) {
    if (!isApp(found)) throw noContainers(`${file} needs`);
    log(`${file} is ignored: it needs Docker`);
    return undefined;
  }
  if (isChosen) return input.parse();
  try {
    const project = await input.parse();
    if (project.services.some(({ name, build }) => build || activeServices.includes(name)) || !isApp(found))
      return project;
  } catch (error) {
    const isMeant = !isApp(found) || activeServices.length > 0 || (await mayBuild(input));
    if (!(error instanceof ComposeError) || isMeant) throw error;
    log(`${file} is ignored because it cannot be read (${problemText(error.problems[0]!)})`);
    return undefined;
  }
  log(
    `${file} is ignored: none of its services is built from this source, which is an app itself. ` +
      `To deploy its services instead, set the variable COMPOSE_FILE=${posix.basename(file)}, ` +
      `or: mooring deploy --compose ${posix.basename(file)}`,
  );
  return undefined;
}

const saysHowItIsBuilt = (config: ComposeInput['config']): boolean =>
  [config.installCommand, config.buildCommand, config.startCommand, config.outputDirectory].some(
    (setting) => setting !== null,
  );

const isApp = ({ startCommand, dockerfile, outputDirectory }: Detection): boolean =>
  [startCommand, dockerfile, outputDirectory].some((found) => found !== null);

/** An invalid file may still be the one that builds the app; only then are its errors reported. */
async function mayBuild({ tree, file }: ComposeInput): Promise<boolean> {
  const text = (await tree.read(file)) ?? '';
  return /(^|[\s{,])["']?(build|extends|include)["']?\s*:/m.test(text);
}
