export const stepNames = [
  'source',
  'detect',
  'build',
  'approve',
  'release',
  'start',
  'check',
  'route',
  'plan',
  'services',
  'restore',
  'retire',
  'tidy',
] as const;
export type StepName = (typeof stepNames)[number];

const ofApp: StepName[] = [
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
];
/** The changes to the services are planned and approved before a release command changes anything. */
const ofAppAfterStack: StepName[] = ofApp.toSpliced(ofApp.indexOf('build') + 1, 0, 'plan');
const ofServices: StepName[] = ['source', 'detect', 'build', 'plan', 'approve', 'services', 'retire', 'tidy'];

export type RunningStack = {
  /** The folder or images of the earlier deployment that this one starts again still exist. */
  artifactKept: boolean;
  /** A stack serves: some of its services may be removed and leave data behind. */
  servesStack?: boolean;
};
export type WantedStack = {
  rollback: boolean;
  requireApproval: boolean;
  /** Several services instead of one app. */
  services: boolean;
};

/** Plans the steps. An existing artifact needs no build, and a rollback also skips migrations and approval. */
export function planSteps(seen: RunningStack, wanted: WantedStack): StepName[] {
  const left = new Set<StepName>(wanted.services ? ofServices : seen.servesStack ? ofAppAfterStack : ofApp);
  if (seen.artifactKept) for (const name of ['source', 'detect', 'build'] as const) left.delete(name);
  if (!wanted.requireApproval || wanted.rollback) left.delete('approve');
  if (wanted.rollback) left.delete('release');
  return [...left];
}

/** Remaining steps once a source turns out to contain several services. */
export const planAfterDetect = (wanted: Omit<WantedStack, 'services'>): StepName[] => {
  const whole = planSteps({ artifactKept: false }, { ...wanted, services: true });
  return whole.slice(whole.indexOf('detect') + 1);
};

/** Remaining steps after a partially failed deployment is rejected. */
export const planOfReject: StepName[] = ['restore', 'retire', 'tidy'];

/** Steps of an app that a stack runs as the single step `services`. */
export const rolloutPhases = ['start', 'check', 'route'] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];
export const isRolloutPhase = (name: string): name is RolloutPhase =>
  (rolloutPhases as readonly string[]).includes(name);

/** Whether the deployment is `building` during the step; afterwards it is `deploying`. */
export const isBuildStep = (name: string): boolean => ['source', 'detect', 'build'].includes(name);

/** Whether the step runs once the release already serves: it is not streamed and cannot fail the deployment. */
export const isAfterwork = (name: string): boolean => ['retire', 'tidy'].includes(name);
