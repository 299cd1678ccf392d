import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { problemText } from '../../../compose/index.ts';
import type { Db } from '../../../db/database.ts';
import { badRequest } from '../../../errors.ts';
import { redactor } from '../../../lib/redact.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type NewDeployment, newDeploymentRow } from './create.ts';
import { StepError } from '../model/model.ts';
import type { Machines } from '../model/machines.ts';
import { planTakeOvers } from '../rollout/originals/plan.ts';
import { originalsFor } from '../model/originals-store.ts';
import { InspectionSlots } from '../source/inspection-slots.ts';
import { Folders, type Parts } from '../model/parts.ts';
import { requireRootInside, warningsOfApp } from '../stack/detect.ts';
import { source } from '../source/step.ts';
import type { StepContext } from '../model/step.ts';
import { type DeploymentRow, selectActive } from '../model/store.ts';
import { KeptContents } from '../contents/contents.ts';
import { readServices } from '../stack/read/find-services.ts';
import { appService, dataFoldersOf, serviceStatesOf } from '../model/stack.ts';
import { selectMounted, type VolumeRow } from '../model/volume-store.ts';
import { withVolumes } from '../model/volumes.ts';
import { redactedPlan, planServices, type ServicePlan } from '../rollout/plan.ts';
import { type RunningService, runningServices } from '../stack/running-services.ts';
import { stackOf } from '../model/run-stack.ts';
import { withVolumeAdvice, isOfRelease, selectWarnings } from '../release/stray-writes.ts';
import { volumeWarnings } from '../stack/volume-warnings.ts';

type Preview = { services: ServicePlan[]; warnings: string[]; volumeWarnings: string[] };
type Deps = { db: Db; sealer: Sealer; machines: Machines };

const longestMs = 120_000;

/** Plans a deployment from its source and the running services, without building or keeping anything. */
export class Previews {
  readonly #deps: Deps;
  /** Keyed by folder name. */
  readonly #places = new InspectionSlots('plan');

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(would: NewDeployment): Promise<Preview> {
    const { temporary } = this.#deps.machines.here.folders;
    return this.#places.taken(would.project.organizationId, (name) => this.#planIn(join(temporary(), name), would));
  }

  /** Removes folders that a killed process left behind. */
  async #clearAbandoned(temporary: string): Promise<void> {
    const plans = (await readdir(temporary)).filter((name) => name.startsWith('plan_'));
    for (const name of plans.filter((each) => !this.#places.has(each))) await removeTree(join(temporary, name));
  }

  async #planIn(folder: string, would: NewDeployment): Promise<Preview> {
    const { machines, sealer } = this.#deps;
    const {
      here: { folders },
    } = machines;
    await mkdir(folders.temporary(), { recursive: true, mode: 0o711 });
    await this.#clearAbandoned(folders.temporary());
    await mkdir(folder, { mode: 0o700 });
    const deployment = newDeploymentRow(sealer, { userId: '' }, would);
    const redact = redactor(would.config.variables.filter(({ secret }) => secret).map(({ value }) => value));
    try {
      const parts = await machines.of(deployment);
      const keepVariables: Parts['keepVariables'] = (_, values) => Promise.resolve(values);
      const looking = { ...parts, folders: new Folders(folder), contents: new KeptContents(folder), keepVariables };
      return hidden(await this.#plan(this.#context(looking, deployment, would)), redact);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      throw badRequest(redact([error.message, error.hint].filter(Boolean).join('. ')));
    } finally {
      await removeTree(folder);
    }
  }

  async #plan(context: StepContext): Promise<Preview> {
    const { parts, config, deployment, db } = context;
    await source.run(context);
    await requireRootInside(parts.folders.release(deployment.artifactId), config.rootDirectory);
    const found = await parts.detect(parts.folders.release(deployment.artifactId), config.rootDirectory);
    const read = await readServices(context, found);
    const seen = await runningServices(context);
    const volumes = await selectMounted(db, deployment);
    const active = await selectActive(db, deployment.organizationId, deployment.projectId, deployment.environment);
    const told = active ? await selectWarnings(db, active.id) : [];
    const written = told.filter(({ line }) => isOfRelease(line)).map((warning) => withVolumeAdvice(volumes, warning));
    if (!read) {
      const losses = [...(await volumeWarnings(context, found)), ...written];
      const others = new Map([...seen].filter(([name]) => name !== appService));
      const isThere = seen.has(appService) || (active !== undefined && !seen.size);
      const services = [ofApp(isThere, volumes), ...planServices(others, [])];
      return { services, warnings: warningsOfApp(config), volumeWarnings: losses };
    }
    const { warnings } = read;
    const stack = withVolumes(read.stack, volumes);
    const wanted = stack.project.services.map((service) => {
      const digest = stack.digests[service.name] ?? '';
      return {
        service,
        digest,
        image: likelyImage(service.image, seen.get(service.name)),
        dataFolders: dataFoldersOf(stack),
        volumes: stack.project.volumes,
      };
    });
    const takeOvers = planTakeOvers(stack.project, await originalsFor(db, deployment));
    const services = planServices(seen, wanted, takeOvers);
    return { services, warnings: warnings.map(problemText), volumeWarnings: written };
  }

  #context(parts: Parts, deployment: DeploymentRow, { config }: NewDeployment): StepContext {
    const { db, sealer } = this.#deps;
    const of = (row: DeploymentRow) => {
      const stack = stackOf(sealer, row);
      return stack && { stack, states: serviceStatesOf(row) };
    };
    const refuse = async (): Promise<never> => {
      throw new Error('a plan cannot ask a question');
    };
    return {
      deployment,
      config,
      parts,
      db,
      results: {},
      attempt: 1,
      signal: AbortSignal.timeout(longestMs),
      log: () => {},
      phase: async () => {},
      checkLease: async () => {},
      ask: refuse,
      stack: { of } as StepContext['stack'],
    };
  }
}

/** Redacts secrets that variables put into names and paths of a compose file. */
const hidden = ({ services, warnings, volumeWarnings }: Preview, redact: (text: string) => string): Preview => ({
  services: services.map((each) => redactedPlan(each, redact)),
  warnings: warnings.map(redact),
  volumeWarnings: volumeWarnings.map(redact),
});

/** The new image does not exist yet; one with the same name likely has the same volumes. */
const likelyImage = (reference: string | null, seen: RunningService | undefined): RunningService['image'] =>
  seen && (reference === null || seen.image?.image === reference) ? seen.image : null;

function ofApp(isThere: boolean, volumes: readonly VolumeRow[]): ServicePlan {
  const common = { name: appService, dataAtRisk: [] };
  if (!isThere) return { ...common, change: 'create', strategy: null, reason: null };
  const exclusive = volumes.filter(({ overlap }) => !overlap).map(({ name }) => name);
  if (!exclusive.length) return { ...common, change: 'replace', strategy: 'start_first', reason: null };
  const reason = `it writes to the volume ${exclusive.join(', ')}, which two versions must not do at the same time`;
  return { ...common, change: 'replace', strategy: 'stop_first', reason };
}
