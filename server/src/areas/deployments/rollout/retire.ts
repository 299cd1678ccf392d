import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { isFinished } from '../model/model.ts';
import { containersBefore, containersInUse } from '../release/in-use.ts';
import { appService, containerKey, isAppRow, isSwitched, serviceStatesOf } from '../model/stack.ts';
import { type DeploymentRow, selectActive, selectDeployment, selectOfProject } from '../model/store.ts';
import type { Step, StepContext } from '../model/step.ts';
import { setFoldersAside } from '../release/carry-over.ts';
import { notTakenOver, strayWrites, addWarning, wereLost } from '../release/stray-writes.ts';

const drainMs = 30_000;
const graceMs = 10_000;
const longestGraceMs = 300_000;
const lingerMs = 3000;

/**
 * Stops replaced or rejected containers once their last request is answered. Newer and unfinished deployments are left
 * alone.
 */
export const retire: Step = {
  name: 'retire',
  // Some services declare their own grace period.
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
        // Callers cache its address for a moment and finish their requests.
        if (hasCallers) await sleep(lingerMs);
        await parts.edge.drain(containerKey(id, service), drainMs);
        await checkLease();
        // The deployment was rejected meanwhile, so the old container is needed again.
        if (isHalf && (await isRejected(context))) return;
        await parts.runtime.stop(id, graceMs, service);
      }),
    );
    const { isApp, states, wanted } = context.stack;
    if (isApp && states.of(appService).image) await setFoldersAside(parts, { deployment, stack: wanted });
    // A failed report must not prevent the cleanup.
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

/** Warns about files that previous releases wrote outside their volumes: this release does not have them. */
async function reportStrayWrites({ db, parts, deployment, stack, config }: StepContext, rows: DeploymentRow[]) {
  for (const { name, before, status } of stack.states.all()) {
    const row = rows.find(({ id }) => id === before);
    const state = row && serviceStatesOf(row).find((each) => each.name === name);
    // If both run from the same folder, the files are still there.
    if (!state || !isSwitched({ status }) || (state.folder && row.artifactId === deployment.artifactId)) continue;
    const made = { row, config: stack.configOf(row, config) };
    const folders = await strayWrites(parts, made, { ...state, runsOf: before });
    if (!folders.length) continue;
    const stray = { folders, slug: config.slug, service: stack.isApp ? null : name };
    await addWarning(db, row.id, wereLost(stray), stray);
    const { mounts = [] } = stack.wanted.project.services.find((each) => each.name === name) ?? {};
    const mounted = mounts.map(({ target }) => target);
    await addWarning(db, deployment.id, notTakenOver(stray, mounted), stray);
  }
}

const isRejected = async ({ db, deployment: { organizationId, id } }: StepContext): Promise<boolean> =>
  (await selectDeployment(db, organizationId, id))?.decision === 'rejected';

type Replaced = { id: string; service: string; hasCallers: boolean };

/** Returns the containers of this environment that were replaced but still run. */
async function replaced({ parts, deployment }: StepContext, rows: DeploymentRow[]): Promise<Replaced[]> {
  const here = rows.filter(({ environment }) => environment === deployment.environment);
  // Containers that another unfinished deployment replaced are its own to stop: it may still be rejected.
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

/** Whether the deployment's unused containers may be stopped: it is the current one, or has finished. */
const isOver = (row: DeploymentRow, current: DeploymentRow): boolean => row.id === current.id || isFinished(row.status);
