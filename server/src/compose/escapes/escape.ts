import type { SourceLine } from '../problems.ts';

/** Something that would reach the machine that it runs on, or what belongs to others there. */
export interface Escape extends SourceLine {
  /** Null for what the project declares. */
  service: string | null;
  /** The field that asks for it, as in the tables of verdicts: `privileged`, `volumes.*.driver_opts`. */
  field: string;
  reason: string;
}
