import type { SourceLine } from '../problems.ts';

/** A setting with access to the machine, or to resources of others there. */
export interface Escape extends SourceLine {
  /** Null for top-level resources. */
  service: string | null;
  /** Field path as in the verdict tables: `privileged`, `volumes.*.driver_opts`. */
  field: string;
  reason: string;
}
