import { untilDeletedStops } from './deleted-release.ts';
import { StepError } from '../model/model.ts';
import { planTakeOvers } from './originals/plan.ts';
import { originalsFor } from '../model/originals-store.ts';
import type { Step, StepContext } from '../model/step.ts';
import type { ComposeService } from '../../../compose/index.ts';
import { whyOnlyOne } from '../model/single-replica.ts';
import { type DeploymentRow, selectDeployment } from '../model/store.ts';
import { selectMounted } from '../model/volume-store.ts';
import { serviceOfVolume, volumeOverCode } from '../model/volumes.ts';
import { volumesToCarryOver } from '../release/carry-over.ts';
import { appOf, appService, dataFoldersOf, newServiceState, type ServiceState } from '../model/stack.ts';
import { requireFreeSubnets } from './subnets.ts';
import { redactedPlan, planServices, type ServicePlan } from './plan.ts';
import { type RunningService, runningServices } from '../stack/running-services.ts';

/** Announces the change of each service, and asks before data is left behind. */
export const planStep: Step = {
  name: 'plan',
  deadlineMs: ({ parts }) => parts.timeouts.promptMs + 60_000,
  async run(context) {
    const { states, wanted } = context.stack;
    const seen = await runningServices(context);
    await untilDeletedStops(context);
    await requireFreeSubnets(context);
    const takeOvers = planTakeOvers(wanted.project, await originalsFor(context.db, context.deployment));
    const plans = planServices(
      seen,
      wanted.project.services.map((service) => ({
        service,
        digest: wanted.digests[service.name] ?? '',
        image: states.of(service.name).image,
        dataFolders: dataFoldersOf(wanted),
        volumes: wanted.project.volumes,
      })),
      takeOvers,
    ).map((plan) => redactedPlan(plan, context.stack.redact));
    for (const service of wanted.project.services) tellOnlyOne(context, service);
    await tellUnmounted(context);
    tellHiddenCode(context);
    await freeFixedPort(context, plans, seen.get(appService));
    await stopForVolumes(context, plans, seen.get(appService));
    const own = context.stack.isApp ? appService : undefined;
    for (const plan of plans.filter(({ name }) => name !== own))
      context.log(servicePlanSentence(plan), 'info', 'stdout', plan.name);
    await states.replaceAll(plans.map((plan) => planned(plan, seen.get(plan.name), states.all())));
    await askAboutData(context, plans);
    return { plans };
  },
};

/** Warns about replicas that a service cannot have. */
function tellOnlyOne({ log, stack }: StepContext, service: ComposeService): void {
  const { image } = stack.states.of(service.name);
  const why = service.replicas > 1 ? whyOnlyOne(service, image, dataFoldersOf(stack.wanted)) : undefined;
  if (why !== undefined) log(`${service.name} runs once, not ${service.replicas} times: ${why}`, 'warn');
}

/** Warns about volumes whose service no longer exists or was renamed. */
async function tellUnmounted({ db, deployment, config, stack, log }: StepContext): Promise<void> {
  const names = stack.wanted.project.services.map(({ name }) => name).join(', ');
  for (const row of await selectMounted(db, deployment)) {
    if (serviceOfVolume(stack.wanted, row)) continue;
    const why = row.service === null ? 'it does not say for which service it is' : `there is no service ${row.service}`;
    log(
      `The volume ${row.name} is not mounted: ${why}; there are ${names}. Its data stays. To mount it, remove it and add ` +
        `it again: mooring volume remove ${config.slug} ${row.name}, ` +
        `mooring volume add ${config.slug} ${row.name} ${row.path} --service <service>`,
      'warn',
    );
  }
}

/** A volume keeps the files it started with, so the app would run the code of its first deployment forever. */
function tellHiddenCode({ config: { slug }, stack, log }: StepContext): void {
  const volume = volumeOverCode(stack.wanted);
  if (!volume) return;
  const { name, path, directory } = volume;
  log(
    `The volume ${name} at ${path} hides the code of this deployment: the app runs the files in the volume. Mount it at a ` +
      `folder inside ${directory}, such as ${directory}/data: mooring volume remove ${slug} ${name}, ` +
      `mooring volume add ${slug} ${name} data`,
    'warn',
  );
}

/**
 * Two processes cannot listen on one port: if the app ignores the assigned one, the previous process stops first.
 */
async function freeFixedPort(
  { parts, stack, log }: StepContext,
  plans: ServicePlan[],
  seen: RunningService | undefined,
): Promise<void> {
  const plan = stack.isApp ? plans.find(({ name }) => name === appService) : undefined;
  const before = plan && seen && (await parts.runtime.find(seen.runsOf, appService));
  if (!plan || !before?.ignoresPort) return;
  plan.strategy = 'stop_first';
  log(
    `The app listens on port ${before.port}, where the previous release still listens. ` +
      'The previous release is stopped first; requests wait until this release responds',
    'warn',
  );
}

/** Volumes must not move under a running release, which would keep writing to its open files. */
async function stopForVolumes(
  { db, parts, deployment, stack, log }: StepContext,
  plans: ServicePlan[],
  seen: RunningService | undefined,
): Promise<void> {
  const plan = stack.isApp ? plans.find(({ name }) => name === appService) : undefined;
  if (!plan || !seen || plan.strategy !== 'start_first') return;
  const made = { deployment, stack: stack.wanted };
  const { image } = stack.states.of(appService);
  const isMoved = image
    ? volumesToCarryOver(parts, made).length > 0
    : (await runsFromSameFolder(db, deployment, seen)) && placesOf(seen.service) !== placesOf(appOf(stack.wanted));
  if (!isMoved) return;
  plan.strategy = 'stop_first';
  log('The previous release is stopped first because its volumes change places. Requests wait meanwhile');
}

async function runsFromSameFolder(db: StepContext['db'], deployment: DeploymentRow, { image, runsOf }: RunningService) {
  const before = image ? undefined : await selectDeployment(db, deployment.organizationId, runsOf);
  return before?.artifactId === deployment.artifactId;
}

/** Identifies which volumes a process has where. */
const placesOf = ({ mounts }: ComposeService): string => {
  const places = mounts.flatMap((mount) => (mount.type === 'volume' ? `${mount.target}\0${mount.volume}` : []));
  return places.toSorted().join('\n');
};

function planned(plan: ServicePlan, before: RunningService | undefined, states: readonly ServiceState[]): ServiceState {
  const { name, change, strategy, reason } = plan;
  const known = states.find((state) => state.name === name) ?? newServiceState(name);
  const runsOf = before?.runsOf ?? null;
  const status = change === 'unchanged' && known.status !== 'failed' ? 'unchanged' : known.status;
  const image = known.folder ? null : (known.image ?? before?.image ?? null);
  const kept = {
    isOver: before?.isOver ?? false,
    ...(change === 'unchanged' && before?.isSilent && { isSilent: true }),
  };
  return { ...known, status, change, strategy, reason, image, runsOf, before: runsOf, ...kept };
}

async function askAboutData({ ask, log }: StepContext, plans: ServicePlan[]): Promise<void> {
  const risks = plans.flatMap(({ dataAtRisk }) => dataAtRisk);
  if (!risks.length) return;
  for (const risk of risks) log(risk, 'warn');
  const question = `This leaves data behind (nothing is deleted): ${risks.join('; ')}. Continue?`;
  if ((await ask(question, ['continue', 'cancel'], 'cancel')) === 'continue') return;
  throw new StepError(
    'not_approved',
    'the change would leave data behind, and nobody approved it',
    'Nothing was changed. Redeploy to be asked again, or mount the same volumes in the compose file. A volume of an adopted service needs external: true and its name there.',
  );
}

/** Formats the plan of a service for the stream. */
export function servicePlanSentence({ name, change, strategy, reason }: ServicePlan): string {
  if (change === 'unchanged') return `${name}: unchanged`;
  if (change === 'create') return `${name}: new`;
  if (change === 'remove') return `${name}: removed; its volumes are kept`;
  return strategy === 'stop_first'
    ? `${name}: replaced, the previous version is stopped first: ${reason}`
    : `${name}: replaced without downtime: ${reason}`;
}
