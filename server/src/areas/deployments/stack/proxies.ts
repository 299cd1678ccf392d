import { posix } from 'node:path';
import { requireContainers } from '../artifact.ts';
import type { StepContext } from '../steps/step.ts';
import type { ServiceState, Stack } from './model.ts';

/** A name leads to another address when a new version takes over. nginx looks names up once, when it reads its configuration:
 * it is told to read it again, which loses no request. Others look each time, or after a while. */
export async function tellProxies({ parts, stack, log }: StepContext, changed: string): Promise<void> {
  const { services } = requireContainers(parts);
  const proxies = stack.states.all().filter((state) => state.name !== changed && isNginx(stack.wanted, state));
  for (const { name, runsOf } of proxies) {
    if (runsOf === null) continue;
    await services.signal(runsOf, name, 'SIGHUP');
    log(`${name} reads its configuration again, because ${changed} has another address`, 'info', 'stdout', name);
  }
}

/** By what it starts, whatever its image is called. */
function isNginx({ project }: Stack, { name, image }: ServiceState): boolean {
  const service = project.services.find((each) => each.name === name);
  const started = [...(service?.entrypoint ?? []), ...(service?.command ?? [])];
  const usual = service?.entrypoint || service?.command ? [] : (image?.command ?? []);
  return [...started, ...usual].some((part) => ['nginx', 'openresty'].includes(posix.basename(part)));
}
