import type { RanStep } from '../build/plan.ts';

/** A BuildKit cache record, in the engine's naming. */
export interface CacheRecord {
  ID: string;
  /** Up to API version 1.41. */
  Parent?: string;
  /** The engine does write this space. */
  ' Parents'?: string[];
  Parents?: string[];
  Type: string;
  Description: string;
  InUse: boolean;
  /** Shared with an image: it takes no space of its own. */
  Shared: boolean;
  Size: number;
  CreatedAt: string;
  LastUsedAt: string | null;
}

export const parentsOf = (record: CacheRecord): string[] =>
  [...(record.Parents ?? []), ...(record[' Parents'] ?? []), record.Parent ?? ''].filter(Boolean);

/** Whether it is a base image. */
export const isBaseImageRecord = ({ Description }: Pick<CacheRecord, 'Description'>): boolean =>
  /^(?:pulled from|from local) /.test(Description);

/** Both times are the engine's, but rounded differently. */
const toleranceMs = 5;

/** Whether the step left this record. The engine does not name the owner of a record: it is ours if it was created
 * while our step ran, and its type and description match that step. */
export function isRecordOfStep(step: RanStep, { CreatedAt, Description }: CacheRecord): boolean {
  const at = Date.parse(CreatedAt);
  if (at < Math.floor(step.from) - toleranceMs || at > Math.ceil(step.to) + toleranceMs) return false;
  const [, instruction = ''] = /^\[[^\]]*\] (.*)$/s.exec(step.name) ?? [];
  if (Description === step.name) return true;
  if (Description === 'fileop target') return /^(?:COPY|ADD|WORKDIR) /i.test(instruction);
  if (Description.startsWith('local source for ')) return step.name.startsWith('[internal] load ');
  if (isBaseImageRecord({ Description })) return /^FROM /i.test(instruction);
  const [, command] = /^(?:cached )?mount \S+ from exec (.*)$/s.exec(Description) ?? [];
  if (command === undefined || !/^RUN /i.test(instruction)) return false;
  const wanted = letters(instruction.replace(/^RUN\s+(?:--\S+\s+)*/i, '').replace(/^<<.*$/s, '')).slice(0, 60);
  return letters(command).includes(wanted);
}

/** Quotes, brackets and line feeds differ between a command as written and as run. */
const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
