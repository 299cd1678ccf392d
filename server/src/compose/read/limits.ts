import type { ComposeLimits, Restart } from '../service.ts';
import type { MappingFields } from './fields.ts';

/** Reads the resource limits: `deploy.resources` and the older fields must not contradict each other. */
export function readLimits(service: MappingFields): ComposeLimits {
  const resources = service.inner('deploy')?.inner('resources');
  const limits = resources?.inner('limits');
  const reservations = resources?.inner('reservations');
  const either = (key: string, old: number | null, now: number | null) => {
    if (old && now && old !== now) service.wrong(key, 'conflicts with deploy.resources');
    return (now ?? old) || null;
  };
  const pids = service.integer('pids_limit', -1);
  return {
    cpus: either('cpus', positive(service, 'cpus'), limits ? positive(limits, 'cpus') : null),
    memoryBytes: either('mem_limit', service.bytes('mem_limit'), limits?.bytes('memory') ?? null),
    memoryReservationBytes: either(
      'mem_reservation',
      service.bytes('mem_reservation'),
      reservations?.bytes('memory') ?? null,
    ),
    memorySwapBytes: service.text('memswap_limit') === '-1' ? -1 : service.bytes('memswap_limit') || null,
    pids: either('pids_limit', pids === -1 ? null : pids, limits?.integer('pids', -1) ?? null),
  };
}

function positive(fields: MappingFields, key: string): number | null {
  const value = fields.number(key);
  return value !== null && value < 0 ? fields.wrong(key, 'must be a number of processors') : value;
}

/** Reads the number of replicas from `scale` or `deploy.replicas`. */
export function readReplicas(service: MappingFields): number {
  const scale = service.integer('scale');
  const deploy = service.inner('deploy');
  const replicas = deploy?.integer('replicas') ?? null;
  const mode = deploy?.text('mode') ?? 'replicated';
  if (mode !== 'replicated')
    service.report.warn(
      deploy!.place('mode'),
      `deploy.mode: ${mode.slice(0, 60)} is ignored: replicas decides the number`,
    );
  if (scale !== null && replicas !== null && scale !== replicas)
    service.wrong('scale', 'conflicts with deploy.replicas');
  return replicas ?? scale ?? 1;
}

/** Names of Swarm, and those of the engine, which are often used there. */
const conditions: Record<string, Restart['policy']> = {
  none: 'no',
  'on-failure': 'on-failure',
  any: 'always',
  no: 'no',
  always: 'always',
  'unless-stopped': 'unless-stopped',
};

const policies = ['no', 'always', 'unless-stopped', 'on-failure'] as const;

/** Reads the restart policy: `deploy.restart_policy` overrides `restart`. */
export function readRestart(service: MappingFields): Restart {
  const policy = service.inner('deploy')?.inner('restart_policy');
  if (policy) {
    const condition = conditions[policy.oneOf('condition', Object.keys(conditions)) ?? 'any']!;
    const maxAttempts = policy.integer('max_attempts');
    const name = condition === 'always' && maxAttempts ? 'on-failure' : condition;
    return { policy: name, maxAttempts: name === 'on-failure' ? maxAttempts || null : null, isGiven: true };
  }
  // An unquoted `no` is a string in YAML 1.2; some editors turn it into `false`.
  const text = service.text('restart');
  if (text === null) return { policy: 'no', maxAttempts: null, isGiven: false };
  const [, name, count] = /^([a-z-]+)(?::(\d{1,6}))?$/.exec(text === 'false' || text === '' ? 'no' : text) ?? [];
  const found = policies.find((each) => each === name);
  if (!found || (count !== undefined && found !== 'on-failure')) {
    service.wrong('restart', `must be one of ${policies.join(', ')}, or on-failure:3`);
    return { policy: 'no', maxAttempts: null, isGiven: true };
  }
  return { policy: found, maxAttempts: count ? Number(count) : null, isGiven: true };
}
