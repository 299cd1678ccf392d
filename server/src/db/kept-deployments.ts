import { sql } from 'kysely';

/**
 * Matches deployments of which a machine has something: active, kept for a rollback, or under way. Without parameters,
 * because it must match the condition of the index `deployments_by_server`.
 */
export const isKeptOnMachine = sql<boolean>`(deployments.active = 1 or deployments.artifact_kept = 1
  or deployments.status in ('building', 'deploying', 'partial_failure'))`;
