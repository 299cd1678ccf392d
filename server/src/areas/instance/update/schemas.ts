import { z } from '../../../lib/zod/index.ts';
import { isoTime, isoTimeOrNull, itemResponse, timeField } from '../../../http/responses.ts';
import { versionPattern } from '../../../lib/version-order.ts';
import type { UpdateStatus } from './files.ts';
import type { UpdateOverview } from './service.ts';

export const updateInput = z.object({
  version: z.string().max(60).regex(versionPattern, { error: 'must be a version such as 1.2.3' }),
});

const UpdateRun = z
  .object({
    state: z
      .enum(['requested', 'running', 'updated', 'went_back', 'failed'])
      .describe('`went_back`: the new version did not become healthy, and the previous one runs again.'),
    from: z.string(),
    to: z.string(),
    startedAt: timeField,
    endedAt: timeField.nullable(),
    steps: z.array(z.object({ phase: z.string(), message: z.string(), at: timeField })),
    reason: z.string().nullable().describe('Why it failed or went back.'),
    lines: z.array(z.string()).describe('Log lines of the new version that explain the reason.'),
    awayMs: z.number().nullable().describe('How long the API did not respond, in milliseconds.'),
  })
  .meta({ id: 'UpdateRun' });

export const updateOutput = itemResponse(
  z
    .object({
      version: z.string().describe('The installed version.'),
      latestVersion: z.string().nullable().describe('Null while unknown.'),
      isNewer: z.boolean().describe('Whether the latest version is newer than the installed one.'),
      changelogUrl: z.string().nullable(),
      checkedAt: timeField.nullable().describe('The last check for a new version; null if it is turned off.'),
      checkError: z.string().nullable(),
      method: z
        .enum(['dashboard', 'image', 'checkout'])
        .describe('`dashboard`: `POST /api/instance/update` works. Otherwise pull the new image or checkout.'),
      update: UpdateRun.nullable().describe('The running update, or the last one.'),
    })
    .meta({ id: 'InstanceUpdate' }),
);

export const presentUpdate = ({ checkedAt, update, ...rest }: UpdateOverview) => ({
  ...rest,
  checkedAt: isoTimeOrNull(checkedAt),
  update: update && presentRun(update),
});

const presentRun = (run: NonNullable<UpdateOverview['update']>) => ({
  ...run,
  startedAt: isoTime(run.startedAt),
  endedAt: isoTimeOrNull(run.endedAt),
  steps: run.steps.map((step: UpdateStatus['steps'][number]) => ({ ...step, at: isoTime(step.at) })),
});
