import { failureIn, promptIn, stepResultsIn } from '../model/stored.ts';
import { z } from '../../../lib/zod/index.ts';
import { ServiceEntry } from '../../../compose/index.ts';
import { stepStatuses, urlsIn } from '../../../db/tables/deployments.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { AddedVariables, BranchName, PublicEndpoints } from '../../projects/port.ts';
import { type DeploymentFailure, statuses } from '../model/model.ts';
import { serviceChanges, isAppRow, serviceStatesOf } from '../model/stack.ts';
import { shownStep } from '../engine/step-endings.ts';
import type { Recipe } from '../model/recipe.ts';
import type { DeploymentRow, StepRow } from '../model/store.ts';
import { isOfRelease, type StoredWarning } from '../release/stray-writes.ts';

export const DeploymentError = z.object({
  code: z.string(),
  step: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  excerpt: z
    .array(z.string())
    .default([])
    .describe('Lines of the output around the one that explains the failure; secrets are redacted.'),
});

export const Deployment = z
  .object({
    id: z.string(),
    projectId: z.string(),
    organizationId: z.string(),
    environment: z.string(),
    status: z.enum(statuses),
    decision: z.string().nullable(),
    pinned: z.boolean(),
    active: z.boolean().describe('Whether this release serves requests.'),
    trigger: z.string(),
    branch: z.string().nullable(),
    commitSha: z.string().nullable(),
    commitMessage: z.string().nullable(),
    urls: z.array(z.string()),
    timing: z.object({
      createdAt: timeField,
      startedAt: timeField.nullable(),
      buildStartedAt: timeField.nullable(),
      buildFinishedAt: timeField.nullable(),
      finishedAt: timeField.nullable(),
      buildMs: z.number().nullable(),
      totalMs: z.number().nullable(),
    }),
    error: DeploymentError.nullable(),
    services: z
      .array(
        z.object({
          name: z.string(),
          status: z.string(),
          image: z.string().nullable(),
          digest: z.string().nullable(),
          error: z.string().nullable(),
          change: z
            .enum(serviceChanges)
            .nullable()
            .describe('Planned change of the service; null for an app and before the plan step.'),
          strategy: z
            .enum(['start_first', 'stop_first'])
            .nullable()
            .describe('How it is replaced: started beside the previous version, or after stopping it.'),
          reason: z.string().nullable().describe('Why it is replaced in this way.'),
          deploymentId: z.string().nullable().describe('Deployment whose container is running.'),
        }),
      )
      .describe('The service `app`, or the services of the compose file or request.'),
    serverId: z.string().nullable(),
    deployTarget: z.string(),
    rollbackOf: z.string().nullable(),
    redeployOf: z.string().nullable(),
    createdBy: z.string(),
  })
  .meta({ id: 'Deployment' });

export const Environment = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, { error: 'must be lower-case letters, digits and dashes' })
  .default('production');
export const CommitSha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, { error: 'must be a full commit id' });

export const CreateBody = z.object({
  projectId: z.string().max(100),
  branch: BranchName.optional(),
  commitSha: CommitSha.optional(),
  environment: Environment,
  autoStart: z.boolean().default(true).describe('`false`: stay queued until `POST /api/deployments/:id/build`.'),
});

export const AccessBody = CreateBody.extend({
  uploadSessionId: z.string().max(100).optional(),
  buildStrategy: z
    .enum(['server', 'local'])
    .optional()
    .describe(
      'Where to build: on the server that it runs on (`server`), or on the machine that runs Mooring (`local`).',
    ),
  deployTarget: z.enum(['local', 'server', 'cloud']).optional(),
  serverId: z.string().max(100).optional(),
  publicEndpoints: PublicEndpoints.optional(),
  services: z
    .array(ServiceEntry)
    .max(100)
    .superRefine(refuseTwins)
    .optional()
    .describe('Services to deploy instead of those of the source. See docs/reference/compose.md.'),
  envVars: AddedVariables.default({}).describe('Extra variables for this deployment; they are secret.'),
});

/** Rejects two services with the same name. */
function refuseTwins(entries: ServiceEntry[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [i, { name }] of entries.entries()) {
    if (seen.has(name)) context.addIssue({ code: 'custom', path: [i, 'name'], message: 'is used twice' });
    seen.add(name);
  }
}

export const StartedDeployment = z.object({
  success: z.literal(true),
  deployment_id: z.string(),
  project_id: z.string(),
});
export const RedeployedDeployment = StartedDeployment.extend({
  buildReasons: z
    .array(z.string())
    .optional()
    .describe('With `reuseArtifact`: the changes that need a build. Empty when the artifact is started again.'),
});
export const deploymentStarted = (row: DeploymentRow) => ({
  success: true as const,
  deployment_id: row.id,
  project_id: row.projectId,
});

export const PlanAnswer = z
  .object({
    services: z.array(
      z.object({
        name: z.string(),
        change: z.enum(serviceChanges),
        strategy: z.enum(['start_first', 'stop_first']).nullable(),
        reason: z.string().nullable(),
        dataAtRisk: z
          .array(z.string())
          .describe('Data that the deployment would leave behind or replace. The deployment asks before it does that.'),
      }),
    ),
    warnings: z
      .array(z.string())
      .describe('Warnings about the compose file: settings that Mooring ignores, variables that are not set.'),
    volumeWarnings: z.array(z.string()).describe('Data that deployments lose, because no volume keeps it.'),
  })
  .meta({ id: 'Plan' });

const StepState = z.object({
  name: z.string(),
  status: z
    .enum(stepStatuses)
    .describe(
      'Every step of a finished deployment has ended: the one at which it failed or was cancelled says so, and the steps ' +
        'after it are `not_run`. `skipped` has nothing to do in this deployment.',
    ),
  startedAt: timeField.nullable(),
  finishedAt: timeField.nullable(),
  attempt: z.number(),
});
const PromptState = z.object({
  id: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  byDefault: z.string(),
  expiresAt: timeField,
});

export const BuildState = z
  .object({
    deploymentId: z.string(),
    status: z.string(),
    step: z.string().nullable(),
    steps: z.array(StepState),
    prompt: PromptState.nullable(),
    lastSeq: z.number(),
    warnings: z
      .array(
        z.object({
          at: timeField,
          kind: z
            .enum(['detected', 'at_risk', 'lost'])
            .describe(
              'The source says that the app writes there, the release wrote files that the next deployment loses, or a ' +
                'deployment has lost files.',
            ),
          message: z.string(),
          service: z.string().nullable(),
        }),
      )
      .describe('Data outside volumes, which deployments lose.'),
    recipe: z
      .object({
        framework: z.string().nullable(),
        installCommand: z.string().nullable(),
        buildCommand: z.string().nullable(),
        startCommand: z.string().nullable(),
        releaseCommand: z.string().nullable(),
        outputDirectory: z.string().nullable(),
      })
      .nullable()
      .describe(
        'How the app is built and started, from the project settings and detection. Null before the `detect` step and for compose stacks.',
      ),
    releaseCommandsSince: z
      .array(z.string())
      .describe(
        'Release commands that ran since this release was built. A rollback to it does not undo their changes to databases and volumes.',
      ),
  })
  .meta({ id: 'BuildState' });

export function presentDeployment(row: DeploymentRow): z.input<typeof Deployment> {
  const error = failureIn(row);
  return {
    id: row.id,
    projectId: row.projectId,
    organizationId: row.organizationId,
    environment: row.environment,
    status: row.status,
    decision: row.decision,
    pinned: row.pinned === 1,
    active: row.active === 1,
    trigger: row.trigger,
    branch: row.branch,
    commitSha: row.commitSha,
    commitMessage: row.commitMessage,
    urls: urlsIn(row),
    timing: timingOf(row),
    error,
    services: servicesOf(row, error),
    serverId: row.serverId,
    deployTarget: row.deployTarget,
    rollbackOf: row.rollbackOf,
    redeployOf: row.redeployOf,
    createdBy: row.createdBy,
  };
}

function servicesOf(row: DeploymentRow, error: DeploymentFailure | null): z.input<typeof Deployment>['services'] {
  if (!isAppRow(row))
    return serviceStatesOf(row).map(({ name, status, image, change, strategy, reason, runsOf, error: failure }) => {
      const known = { image: image?.image ?? null, digest: image?.imageId ?? null, error: failure?.message ?? null };
      return { name, status, ...known, change, strategy, reason, deploymentId: runsOf };
    });
  const known = { image: row.image, digest: row.imageDigest, error: error?.message ?? null };
  const unplanned = { change: null, strategy: null, reason: null };
  return [{ name: 'app', status: row.status, ...known, ...unplanned, deploymentId: row.id }];
}

function timingOf(row: DeploymentRow) {
  const between = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from);
  return {
    createdAt: isoTime(row.createdAt),
    startedAt: isoTimeOrNull(row.startedAt),
    buildStartedAt: isoTimeOrNull(row.buildStartedAt),
    buildFinishedAt: isoTimeOrNull(row.buildFinishedAt),
    finishedAt: isoTimeOrNull(row.finishedAt),
    buildMs: between(row.buildStartedAt, row.buildFinishedAt),
    totalMs: between(row.createdAt, row.finishedAt),
  };
}

export function presentBuild(
  row: DeploymentRow,
  steps: StepRow[],
  { written, releaseCommandsSince }: { written: StoredWarning[]; releaseCommandsSince: string[] },
): z.input<typeof BuildState> {
  const prompt = promptIn(row);
  const shown = steps.map((step) => ({ ...step, ...shownStep(step, row) }));
  return {
    deploymentId: row.id,
    status: row.status,
    step: shown.find(({ status }) => status === 'running')?.name ?? null,
    steps: shown.map(({ name, status, startedAt, finishedAt, attempt }) => {
      const times = { startedAt: isoTimeOrNull(startedAt), finishedAt: isoTimeOrNull(finishedAt) };
      return { name, status, ...times, attempt };
    }),
    prompt: prompt && { ...prompt, expiresAt: isoTime(prompt.expiresAt) },
    lastSeq: row.lastSeq,
    warnings: [
      ...detectedLosses(steps),
      ...written.map(({ at, line, service }) => ({
        at: isoTime(at),
        kind: isOfRelease(line) ? ('at_risk' as const) : ('lost' as const),
        message: line,
        service,
      })),
    ],
    recipe: recipeIn(steps),
    releaseCommandsSince,
  };
}

/** A deployment without a build has the findings of an earlier one, whose volumes may have differed. */
function detectedLosses(steps: StepRow[]): z.input<typeof BuildState>['warnings'] {
  const finishedAt = steps.find(({ name }) => name === 'detect')?.finishedAt ?? null;
  if (finishedAt === null) return [];
  const losses = stepResultsIn(steps).detect?.hints?.losses ?? [];
  return losses.map((message) => ({ at: isoTime(finishedAt), kind: 'detected' as const, message, service: null }));
}

function recipeIn(steps: StepRow[]): z.input<typeof BuildState>['recipe'] {
  const found: Partial<Recipe> & { framework?: string | null } =
    stepResultsIn(steps.filter(({ status }) => status === 'done')).detect ?? {};
  if (found.installCommand === undefined) return null;
  const { framework = null, installCommand, buildCommand = null, startCommand = null } = found;
  const { releaseCommand = null, outputDirectory = null } = found;
  return { framework, installCommand, buildCommand, startCommand, releaseCommand, outputDirectory };
}
