import { isArtifactThere } from '../model/artifact.ts';
import type { Built, BuiltStack } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { planSteps, type StepName, stepNames } from '../model/plan.ts';
import { areImagesThere, areMadeImagesThere } from '../build/services.ts';
import { appService, isAppRow, type ServiceState, type Stack, resetServiceStates } from '../model/stack.ts';
import { appArtifact, appStack, newAppState } from '../stack/app.ts';
import type { RunStack } from '../model/run-stack.ts';
import { appIn, stepResultsIn } from '../model/stored.ts';
import type { Db } from '../../../db/database.ts';
import { builtOfNow, recipeOfNow } from './apply.ts';
import type { Recipe } from '../model/recipe.ts';
import { deleteSteps, insertSteps, resetSteps, selectSteps, updateStep } from '../model/step-store.ts';
import { type DeploymentRow, selectActive, selectDeployment, type StepRow } from '../model/store.ts';
import { updateUnderFence } from '../model/queue.ts';

/**
 * The steps of a deployment in the database: planned when it starts, and checked against reality when a worker resumes
 * it.
 */
export class JournaledPlan {
  readonly #deps: { db: Db; parts: Parts };
  readonly #deployment: DeploymentRow;
  readonly #config: DeploymentConfig;
  readonly #stack: RunStack;

  constructor(deps: { db: Db; parts: Parts }, deployment: DeploymentRow, config: DeploymentConfig, stack: RunStack) {
    this.#deps = deps;
    this.#deployment = deployment;
    this.#config = config;
    this.#stack = stack;
  }

  async rows(): Promise<StepRow[]> {
    const { db } = this.#deps;
    const { id } = this.#deployment;
    if (!(await selectSteps(db, id)).length) await this.#insertPlan();
    return this.#standing(await selectSteps(db, id));
  }

  /**
   * The database may list results that no longer exist: an artifact removed by a worker that was then killed, or a
   * process that ended with the machine. Those steps run again.
   */
  async #standing(rows: StepRow[]): Promise<StepRow[]> {
    const { db } = this.#deps;
    const { artifactId, fence } = this.#deployment;
    const isDone = (step: StepName) => rows.some(({ name, status }) => name === step && status === 'done');
    // A partially failed rollout serves, too.
    const hasServices = rows.some(({ name, status }) => name === 'services' && ['done', 'failed'].includes(status));
    if (isDone('route') || hasServices) return rows;
    const isStanding = () => this.#isStanding(builtOf(rows));
    if (isDone('source') && artifactId === this.#deployment.id && !(await isStanding())) {
      await updateUnderFence(db, this.#deployment.id, fence, { artifactKept: 0 });
      await resetSteps(db, this.#deployment.id, stepNames);
    } else if (artifactId !== this.#deployment.id && !(await isStanding())) {
      // The artifact it rolls back to was removed after planning, so it is built again.
      await deleteSteps(db, this.#deployment.id);
      await this.#insertPlan();
    } else if (isDone('start') && !(await this.#runs())) {
      await resetSteps(db, this.#deployment.id, ['start', 'check']);
    } else return rows;
    return selectSteps(db, this.#deployment.id);
  }

  /** A started process may have ended with the machine. */
  async #runs(): Promise<boolean> {
    const state = (await this.#deps.parts.runtime.find(this.#deployment.id, appService))?.state;
    return state !== undefined && state !== 'exited';
  }

  /** For a stack, its images count as far as they were made; services that serve already are never rebuilt. */
  async #isStanding(built: Built | BuiltStack | undefined): Promise<boolean> {
    const { parts } = this.#deps;
    if (built?.kind !== 'stack') return isArtifactThere(parts, this.#deployment, built);
    const states = this.#stack.states.all();
    return states.some(({ runsOf }) => runsOf === this.#deployment.id) || areMadeImagesThere(parts, states);
  }

  /** A rollback runs another deployment's artifact with the recipe of that time, which it copies. */
  async #insertPlan(): Promise<void> {
    const { db } = this.#deps;
    const { rollbackOf, organizationId, projectId, environment } = this.#deployment;
    const made = await this.#stillThere();
    if (this.#deployment.artifactId !== this.#deployment.id && !made) {
      const own = { artifactId: this.#deployment.id, artifactKept: 0 };
      await updateUnderFence(db, this.#deployment.id, this.#deployment.fence, own);
      Object.assign(this.#deployment, own);
    }
    const wanted = { ...this.#config, rollback: rollbackOf !== null, services: made !== undefined && !made.stack.app };
    const active = await selectActive(db, organizationId, projectId, environment);
    const servesStack = active !== undefined && !isAppRow(active);
    const names = planSteps({ artifactKept: made !== undefined, servesStack }, wanted);
    await insertSteps(db, this.#deployment.id, made ? ['detect', 'build', ...names] : names);
    if (!made) return;
    await this.#stack.begin(made.stack, made.states);
    await updateStep(db, this.#deployment.id, 'detect', { status: 'done', result: made.recipe });
    await updateStep(db, this.#deployment.id, 'build', { status: 'skipped', result: JSON.stringify(made.built) });
    const columns = imageColumns(made.built);
    if (Object.keys(columns).length) await updateUnderFence(db, this.#deployment.id, this.#deployment.fence, columns);
  }

  /** Returns the definition of the deployment that it rolls back to, if it can still be started. */
  async #stillThere(): Promise<Made | undefined> {
    const { db, parts } = this.#deps;
    const { artifactId, artifactKept, rollbackOf, redeployOf, organizationId } = this.#deployment;
    if (artifactKept !== 1) return undefined;
    // The release may have used another recipe than the deployment that built it.
    const ran = await selectSteps(db, rollbackOf ?? redeployOf ?? artifactId);
    const rows = ran.some(({ name, result }) => name === 'build' && result) ? ran : await selectSteps(db, artifactId);
    const recipe = rows.find(({ name }) => name === 'detect')?.result;
    const { build: built } = stepResultsIn(rows);
    if (!recipe || !built) return undefined;
    const then = rollbackOf ? await selectDeployment(db, organizationId, rollbackOf) : undefined;
    const services = then && this.#stack.of(then);
    if (services && !services.stack.app)
      return (await areImagesThere(parts, services)) ? { recipe, built, ...resetServiceStates(services) } : undefined;
    const app = appIn(rows);
    if (!app?.built || !(await this.#isStanding(builtOf(rows)))) return undefined;
    return this.#ofNow(app.recipe, app.built);
  }

  /** A rollback uses the old recipe; a redeployment applies the current settings. */
  #ofNow(then: Recipe, builtThen: Built): Made {
    const isRollback = this.#deployment.rollbackOf !== null;
    const recipe = isRollback ? then : recipeOfNow(then, this.#config);
    const built = isRollback ? builtThen : builtOfNow(builtThen, this.#config);
    return {
      recipe: JSON.stringify(recipe),
      built,
      stack: appStack(this.#deployment.id, this.#config, recipe),
      states: [{ ...newAppState(), ...appArtifact(built, this.#config, recipe) }],
    };
  }
}

function builtOf(rows: StepRow[]): Built | BuiltStack | undefined {
  return stepResultsIn(rows.filter(({ status }) => status === 'done' || status === 'skipped')).build;
}

/** The definition of a deployment that another one starts again. */
type Made = { recipe: string; built: Built | BuiltStack; stack: Stack; states: ServiceState[] };

/** Returns the columns that describe the image. */
export const imageColumns = (built: Built | BuiltStack): Partial<DeploymentRow> =>
  built.kind === 'image' ? { image: built.image, imageDigest: built.imageId } : {};
