import { z } from 'zod';
import { one } from '../../../http/answers.ts';

const limit = z.number().nullable().describe('Null is without a limit.');
const counted = z.object({ used: z.number(), limit });

/** What an organization may have of this cloud, and what it has. */
export const Limits = one(
  z
    .object({
      projects: counted,
      buildsAtOnce: counted,
      memoryMb: counted.describe('Of everything that runs or is being started.'),
      cpus: counted,
      container: z
        .object({ memoryMb: z.object({ usual: limit, most: limit }), cpus: z.object({ usual: limit, most: limit }) })
        .describe('Of one container: what it gets where the project says nothing, and the most that it gets.'),
    })
    .meta({ id: 'OrganizationLimits' }),
);
