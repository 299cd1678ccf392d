export const stepNames = [
  'source',
  'detect',
  'build',
  'approve',
  'release',
  'start',
  'check',
  'route',
  'retire',
  'tidy',
] as const;
export type StepName = (typeof stepNames)[number];

export type Seen = {
  /** The built folder or image that a rollback asks for is still there. */
  artifactKept: boolean;
};
export type Wanted = {
  rollback: boolean;
  requireApproval: boolean;
};

/** What to do, before it is done. A rollback starts what was built then: no build, no migration, no question. */
export function plan(seen: Seen, wanted: Wanted): StepName[] {
  const isReplay = wanted.rollback && seen.artifactKept;
  const left = new Set<StepName>(stepNames);
  if (isReplay) for (const name of ['source', 'detect', 'build'] as const) left.delete(name);
  if (!wanted.requireApproval || wanted.rollback) left.delete('approve');
  if (wanted.rollback) left.delete('release');
  return stepNames.filter((name) => left.has(name));
}

/** Up to here a deployment is `building`, then `deploying`. */
export const isBuildStep = (name: string): boolean => ['source', 'detect', 'build'].includes(name);

/** What is left to do when the release already serves: it is not shown in the stream and cannot fail the deployment. */
export const isAfterwork = (name: string): boolean => ['retire', 'tidy'].includes(name);
