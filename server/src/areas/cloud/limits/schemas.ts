import { z } from '../../../lib/zod/index.ts';
import { itemResponse } from '../../../http/responses.ts';

const limit = z.number().nullable().describe('Null: no limit.');
const counted = z.object({ used: z.number(), limit });

/** Limits and usage of an organization. */
export const LimitsAnswer = itemResponse(
  z
    .object({
      projects: counted,
      buildsAtOnce: counted,
      memoryMb: counted.describe('Total of everything that runs or is starting.'),
      cpus: counted,
      container: z
        .object({ memoryMb: z.object({ usual: limit, most: limit }), cpus: z.object({ usual: limit, most: limit }) })
        .describe('Default and maximum of one container.'),
    })
    .meta({ id: 'OrganizationLimits' }),
);
