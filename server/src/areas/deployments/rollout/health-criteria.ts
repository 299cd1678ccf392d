import type { EnvironmentRef } from '../../domains/port.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { withSourceSettings } from '../model/source-settings.ts';
import { type HealthCriteria, watchTimesMs } from './check.ts';
import { addressesOfStack, endpointsOfStack } from '../release/endpoints-of-stack.ts';
import type { ServiceState, Stack } from '../model/stack.ts';
import { restartOfService } from '../release/service-spec/service-spec.ts';

type HealthCriteriaInput = {
  parts: Pick<Parts, 'baseDomain' | 'names' | 'timeouts' | 'runtime'>;
  config: DeploymentConfig;
  deployment: EnvironmentRef;
  stack: Stack;
  states: readonly ServiceState[];
  isRollback?: boolean;
};

/** Criteria that a service must meet. */
type CriteriaWithGuess = HealthCriteria & {
  /** What it must answer to get an address, if it is only a guess that it is public. */
  guess?: NonNullable<HealthCriteria['answers']>;
};

/**
 * Returns how a service proves that it is healthy: by its health check, by responding if it is public, or else by
 * staying up.
 */
export async function healthCriteriaOf(of: HealthCriteriaInput, name: string): Promise<CriteriaWithGuess> {
  const { parts, config, deployment, stack, states, isRollback = false } = of;
  const { services } = stack.project;
  const service = services.find((each) => each.name === name)!;
  const image = states.find((state) => state.name === name)?.image;
  const { healthcheck } = service;
  const hasHealthcheck = healthcheck?.test
    ? !healthcheck.isDisabled && healthcheck.test[0] !== 'NONE'
    : !healthcheck?.isDisabled && image?.hasHealthcheck === true;
  const { environment } = deployment;
  const endpoint = endpointsOfStack({ parts, config, environment }, of).find((each) => each.service === name);
  const isAwaited = services.some(({ dependsOn }) =>
    dependsOn.some((each) => each.service === name && each.condition === 'service_completed_successfully'),
  );
  const isOneOff = isAwaited && restartOfService(services, service).policy === 'no';
  const { timeoutSeconds, path, type } = withSourceSettings(config, stack.app).healthCheck;
  if (stack.app)
    return {
      isOneOff: false,
      hasHealthcheck: false,
      mayEnd: false,
      answers: type === 'tcp' ? { type } : { type, path, hostName: await hostNameOf(of, name) },
      withinMs: healthCheckLimitMs(null, timeoutSeconds, parts.timeouts.startMs),
      fixedPort: config.port ?? (await portBefore(of, name)),
      watchMs: isRollback ? watchTimesMs.rollback : watchTimesMs.release,
    };
  const tcp = { type: 'tcp' as const };
  const hasPort =
    service.ports.some(({ protocol }) => protocol === 'tcp') || service.expose.some((port) => !port.endsWith('/udp'));
  const asPublic =
    endpoint && (endpoint.isPrimary && type === 'http' ? { type, path, hostName: await hostNameOf(of, name) } : tcp);
  const answers = (endpoint?.isGuess ? undefined : asPublic) ?? (hasPort ? tcp : null);
  return {
    ...(endpoint?.isGuess && asPublic && { guess: asPublic }),
    isOneOff,
    hasHealthcheck,
    answers,
    // A service without a port or health check is only expected to finish its work.
    mayEnd: !answers && !hasHealthcheck,
    fixedPort: null,
    watchMs: hasHealthcheck || answers ? watchTimesMs.release : watchTimesMs.withoutCheck,
    // A one-off is usually a migration, which may take as long as a build.
    withinMs: isOneOff
      ? parts.timeouts.buildMs
      : healthCheckLimitMs(service.healthcheck, timeoutSeconds, parts.timeouts.startMs),
  };
}

/** Returns the port of the previous release, if it ignored the assigned one: this release probably does too. */
async function portBefore({ parts, states }: HealthCriteriaInput, name: string): Promise<number | null> {
  const before = states.find((state) => state.name === name)?.before;
  const instance = before ? await parts.runtime.find(before, name) : undefined;
  return instance?.ignoresPort ? instance.port : null;
}

/** Returns the name that visitors use, because apps may refuse requests for others; null for a service without one. */
async function hostNameOf(of: HealthCriteriaInput, name: string): Promise<string | null> {
  const { parts, config, deployment } = of;
  const { environment } = deployment;
  const addresses = addressesOfStack({ parts, config, environment }, of, await parts.names.of(deployment));
  return addresses.find(({ service, redirectTo }) => service === name && redirectTo === undefined)?.host ?? null;
}

/** A health check defines its own time limit. */
export function healthCheckLimitMs(
  healthcheck: {
    startPeriodMs: number | null;
    intervalMs: number | null;
    timeoutMs: number | null;
    retries: number | null;
  } | null,
  timeoutSeconds: number | null,
  usualMs: number,
): number {
  const { startPeriodMs, intervalMs, timeoutMs, retries } = healthcheck ?? {};
  const own = (startPeriodMs ?? 0) + ((intervalMs ?? 0) + (timeoutMs ?? 0)) * ((retries ?? 0) + 1);
  return Math.max(own, timeoutSeconds ? timeoutSeconds * 1000 : usualMs);
}
