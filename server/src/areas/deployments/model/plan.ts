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
/** What happens to the services is planned, and asked about, before a release command changes anything. */
const ofAppAfterStack: StepName[] = ofApp.toSpliced(ofApp.indexOf('build') + 1, 0, 'plan');
const ofServices: StepName[] = ['source', 'detect', 'build', 'plan', 'approve', 'services', 'retire', 'tidy'];

export type RunningStack = {
  /** The folder or images of an earlier deployment that this one starts again are still there. */
  artifactKept: boolean;
  /** A stack of services serves: some of them may go, and leave data behind. */
  servesStack?: boolean;
};
export type WantedStack = {
  rollback: boolean;
  requireApproval: boolean;
  /** Several services instead of one app. */
  services: boolean;
};

/** What to do, before it is done. What was built before needs no build. A rollback also skips migrations and questions. */
export function plan(seen: RunningStack, wanted: WantedStack): StepName[] {
  const left = new Set<StepName>(wanted.services ? ofServices : seen.servesStack ? ofAppAfterStack : ofApp);
  if (seen.artifactKept) for (const name of ['source', 'detect', 'build'] as const) left.delete(name);
  if (!wanted.requireApproval || wanted.rollback) left.delete('approve');
  if (wanted.rollback) left.delete('release');
  return [...left];
}

/** What is left once a source turned out to be several services. */
export const planAfterDetect = (wanted: Omit<WantedStack, 'services'>): StepName[] => {
  const whole = plan({ artifactKept: false }, { ...wanted, services: true });
  return whole.slice(whole.indexOf('detect') + 1);
};

/** What is left once somebody has decided against a deployment that came out half. */
export const planOfReject: StepName[] = ['restore', 'retire', 'tidy'];

/** The steps of an app that are one step of a stack: `services`. */
export const phases = ['start', 'check', 'route'] as const;
export type Phase = (typeof phases)[number];
export const isPhase = (name: string): name is Phase => (phases as readonly string[]).includes(name);

/** Up to here a deployment is `building`, then `deploying`. */
export const isBuildStep = (name: string): boolean => ['source', 'detect', 'build'].includes(name);

/** What is left to do when the release already serves: it is not shown in the stream and cannot fail the deployment. */
export const isAfterwork = (name: string): boolean => ['retire', 'tidy'].includes(name);
