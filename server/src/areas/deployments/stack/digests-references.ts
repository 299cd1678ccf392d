import type { ComposeProject, ComposeService } from '../../../compose/index.ts';
import { StepError } from '../model.ts';

/** Services whose namespaces or mounts it uses. */
export function livesWith(project: ComposeProject, { networkMode, isolation, volumesFrom }: ComposeService): string[] {
  const modes = [networkMode, isolation.pid, isolation.ipc].map((mode) => serviceOf(project, mode ?? ''));
  const lenders = volumesFrom.map((from) => serviceOf(project, `service:${from.service}`));
  return [...new Set([...modes, ...lenders])].filter((name) => name !== undefined).toSorted();
}

/** The service that is meant by `service:name`, if there is one of that name. */
export const serviceOf = ({ services }: ComposeProject, reference: string): string | undefined =>
  services.find(({ name }) => reference === `service:${name}`)?.name;

/** Whose digest is a part of whose must come to an end. */
export function requireNoCircle(project: ComposeProject): void {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    if (way.includes(name))
      throw new StepError('compose_invalid', `services use each other in a circle: ${[...way, name].join(' -> ')}`);
    if (done.has(name)) return;
    const service = project.services.find((each) => each.name === name)!;
    const contexts = (service.build?.additionalContexts ?? []).map(({ from }) =>
      'path' in from ? undefined : serviceOf(project, from.reference),
    );
    for (const other of [...livesWith(project, service), ...contexts])
      if (other !== undefined) visit(other, [...way, name]);
    done.add(name);
  };
  for (const { name } of project.services) visit(name, []);
}
