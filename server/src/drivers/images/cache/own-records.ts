import type { RanStep } from '../build/plan.ts';

/** A step that BuildKit keeps, in the engine's words. */
export interface CacheRecord {
  ID: string;
  /** Up to version 1.41 of the API. */
  Parent?: string;
  /** The engine does write this space. */
  ' Parents'?: string[];
  Parents?: string[];
  Type: string;
  Description: string;
  InUse: boolean;
  /** With an image: then it costs nothing of its own. */
  Shared: boolean;
  Size: number;
  CreatedAt: string;
  LastUsedAt: string | null;
}

export const parentsOf = (record: CacheRecord): string[] =>
  [...(record.Parents ?? []), ...(record[' Parents'] ?? []), record.Parent ?? ''].filter(Boolean);

/** What a build was made from. */
export const isBase = ({ Description }: Pick<CacheRecord, 'Description'>): boolean =>
  /^(?:pulled from|from local) /.test(Description);

/** Clocks are the same (the engine's), but its times are rounded in different ways. */
const toleranceMs = 5;

/** Whether a record is what the step left. The engine does not say who made a record: it is ours if it came to be while a
 * step of ours ran, and is of the kind, and has the words, that this step leaves. */
export function isLeftBy(step: RanStep, { CreatedAt, Description }: CacheRecord): boolean {
  const at = Date.parse(CreatedAt);
  if (at < Math.floor(step.from) - toleranceMs || at > Math.ceil(step.to) + toleranceMs) return false;
  const [, instruction = ''] = /^\[[^\]]*\] (.*)$/s.exec(step.name) ?? [];
  if (Description === step.name) return true;
  if (Description === 'fileop target') return /^(?:COPY|ADD|WORKDIR) /i.test(instruction);
  if (Description.startsWith('local source for ')) return step.name.startsWith('[internal] load ');
  if (isBase({ Description })) return /^FROM /i.test(instruction);
  const [, command] = /^(?:cached )?mount \S+ from exec (.*)$/s.exec(Description) ?? [];
  if (command === undefined || !/^RUN /i.test(instruction)) return false;
  const wanted = letters(instruction.replace(/^RUN\s+(?:--\S+\s+)*/i, '').replace(/^<<.*$/s, '')).slice(0, 60);
  return letters(command).includes(wanted);
}

/** Quotes, brackets and line ends differ between how a command is written and how it is run. */
const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
