import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { type HealthCriteria, stayAliveMs } from './check.ts';
import { endpointsOfStack } from '../release/endpoints-of-stack.ts';
import type { ServiceState, Stack } from '../model/stack.ts';
import { restartOfService } from '../release/service-spec/service-spec.ts';

type Of = {
  parts: Pick<Parts, 'baseDomain' | 'timeouts'>;
  config: DeploymentConfig;
  environment: string;
  stack: Stack;
  states: readonly ServiceState[];
  isRollback?: boolean;
};

/**
 * Returns how a service proves that it is healthy: by its health check, by responding if it is public, or else by
 * staying up.
 */
export function proofOf(of: Of, name: string): HealthCriteria {
  const { parts, config, environment, stack, states, isRollback = false } = of;
  const { services } = stack.project;
  const service = services.find((each) => each.name === name)!;
  const image = states.find((state) => state.name === name)?.image;
  const { healthcheck } = service;
  const hasHealthcheck = healthcheck?.test
    ? !healthcheck.isDisabled && healthcheck.test[0] !== 'NONE'
    : !healthcheck?.isDisabled && image?.hasHealthcheck === true;
  const endpoint = endpointsOfStack({ parts, config, environment }, stack).find((each) => each.service === name);
  const isAwaited = services.some(({ dependsOn }) =>
    dependsOn.some((each) => each.service === name && each.condition === 'service_completed_successfully'),
  );
  const isOneOff = isAwaited && restartOfService(services, service).policy === 'no';
  const { timeoutSeconds, path, type } = config.healthCheck;
  if (stack.app)
    return {
      isOneOff: false,
      hasHealthcheck: false,
      answers: type === 'tcp' ? { type } : { type: 'http', path },
      withinMs: patience(null, timeoutSeconds, parts.timeouts.startMs),
      fixedPort: config.port,
      stayMs: isRollback ? stayAliveMs.rollback : stayAliveMs.release,
    };
  const answers = endpoint
    ? endpoint.isPrimary && type === 'http'
      ? { type: 'http' as const, path }
      : { type: 'tcp' as const }
    : service.ports.some(({ protocol }) => protocol === 'tcp') || service.expose.some((port) => !port.endsWith('/udp'))
      ? { type: 'tcp' as const }
      : null;
  return {
    isOneOff,
    hasHealthcheck,
    answers,
    fixedPort: null,
    stayMs: hasHealthcheck || answers ? stayAliveMs.release : stayAliveMs.unasked,
    // A one-off is usually a migration, which may take as long as a build.
    withinMs: isOneOff ? parts.timeouts.buildMs : patience(service.healthcheck, timeoutSeconds, parts.timeouts.startMs),
  };
}

/** A health check defines its own time limit. */
export function patience(
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
