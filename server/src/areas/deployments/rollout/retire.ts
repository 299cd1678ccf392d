import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { isFinished } from '../model/model.ts';
import { containersBefore, containersInUse } from '../release/in-use.ts';
import { appService, containerKey, isAppRow, isSwitched, statesOf } from '../model/stack.ts';
import { type DeploymentRow, selectActive, selectDeployment, selectOfProject } from '../model/store.ts';
import type { Step, StepContext } from '../model/step.ts';
import { setFoldersAside } from '../release/carry-over.ts';
import { notTakenOver, strayWrites, warn, wereLost } from '../release/stray-writes.ts';

const drainMs = 30_000;
const graceMs = 10_000;
const longestGraceMs = 300_000;
const lingerMs = 3000;

/** Stops what served before, or what was rejected, once its last request is answered. What is newer or unfinished is not ours to
 * stop. */
export const retire: Step = {
  name: 'retire',
  // Some say themselves how long they need to end.
  deadlineMs: () => drainMs + longestGraceMs + 30_000,
  async run(context) {
    const { parts, deployment, db, checkLease } = context;
    const { organizationId, projectId, environment } = deployment;
    const active = await selectActive(db, organizationId, projectId, environment);
    const isHalf = deployment.status === 'partial_failure';
    if (active?.id !== deployment.id && !isHalf && deployment.status !== 'rejected') return { stopped: [] };
    const rows = await selectOfProject(db, organizationId, projectId);
    const over = await replaced(context, rows);
    await Promise.all(
      over.map(async ({ id, service, hasCallers }) => {
        // Services that call it know its address for a moment longer, and finish what they have begun.
        if (hasCallers) await sleep(lingerMs);
        await parts.edge.drain(containerKey(id, service), drainMs);
        await checkLease();
        // Somebody has decided against what took its place: it is needed again.
        if (isHalf && (await isRejected(context))) return;
        await parts.runtime.stop(id, graceMs, service);
      }),
    );
    const { isApp, states, wanted } = context.stack;
    if (isApp && states.of(appService).image) await setFoldersAside(parts, { deployment, stack: wanted });
    // A report that cannot be made keeps nothing from being tidied up.
    const unreported =
      deployment.status === 'ready' &&
      (await reportStrayWrites(context, rows).then(
        () => null,
        (error: Error) => error.message,
      ));
    const stopped = over.map(({ id, service }) => containerKey(id, service));
    return { stopped, ...(unreported && { unreported }) };
  },
};

/** Says which files the releases before have written outside of their volumes: they are not in this one. */
async function reportStrayWrites({ db, parts, deployment, stack, config }: StepContext, rows: DeploymentRow[]) {
  for (const { name, before, status } of stack.states.all()) {
    const row = rows.find(({ id }) => id === before);
    const state = row && statesOf(row).find((each) => each.name === name);
    // A folder that both run from is still there.
    if (!state || !isSwitched({ status }) || (state.folder && row.artifactId === deployment.artifactId)) continue;
    const made = { row, config: stack.configOf(row, config) };
    const folders = await strayWrites(parts, made, { ...state, runsOf: before });
    if (!folders.length) continue;
    const stray = { folders, slug: config.slug, service: stack.isApp ? null : name };
    await warn(db, row.id, wereLost(stray), stray);
    await warn(db, deployment.id, notTakenOver(stray), stray);
  }
}

const isRejected = async ({ db, deployment: { organizationId, id } }: StepContext): Promise<boolean> =>
  (await selectDeployment(db, organizationId, id))?.decision === 'rejected';

type Replaced = { id: string; service: string; hasCallers: boolean };

/** What runs of the project in this environment although something else has taken its place. */
async function replaced({ parts, deployment }: StepContext, rows: DeploymentRow[]): Promise<Replaced[]> {
  const here = rows.filter(({ environment }) => environment === deployment.environment);
  // What another one has taken the place of is that one's to stop: until it has come to its end, somebody may decide against it.
  const others = here.filter(({ id }) => id !== deployment.id);
  const used = containersInUse(here).union(containersBefore(others));
  const byId = new Map(here.map((row) => [row.id, row]));
  const isUp = ({ state }: Instance) => state === 'running' || state === 'restarting';
  const found = new Map<string, Replaced>();
  for (const { owner } of (await parts.runtime.list()).filter(isUp)) {
    const row = byId.get(owner.deploymentId);
    const key = containerKey(owner.deploymentId, owner.service);
    if (!row || used.has(key) || !isOver(row, deployment)) continue;
    found.set(key, { id: row.id, service: owner.service, hasCallers: !isAppRow(row) });
  }
  return [...found.values()];
}

/** Its containers may be stopped, as far as nobody uses them: it is the one that is run here, or has come to its end. */
const isOver = (row: DeploymentRow, current: DeploymentRow): boolean => row.id === current.id || isFinished(row.status);
