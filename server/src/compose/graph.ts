import { ComposeReport } from './problems.ts';
import type { ComposeService, Dependency } from './service.ts';

type Depending = Pick<ComposeService, 'name' | 'at' | 'dependsOn'>;

/**
 * Returns the start order: each level depends only on earlier levels. Dependencies must exist, unless they are
 * optional and in `inactive`, the services of profiles that are not selected. Errors are reported, and the affected
 * services omitted.
 */
export function startLevels(
  services: readonly Depending[],
  inactive: ReadonlySet<string>,
  report: ComposeReport,
): string[][] {
  const names = new Set(services.map(({ name }) => name));
  const needs = new Map<string, Set<string>>();
  for (const { name, dependsOn } of services) {
    for (const dependency of dependsOn)
      if (!names.has(dependency.service)) reportAbsent(name, dependency, inactive, report);
    needs.set(name, new Set(dependsOn.map(({ service }) => service).filter((service) => names.has(service))));
  }
  const levels: string[][] = [];
  const done = new Set<string>();
  while (needs.size) {
    const level = [...needs]
      .filter(([, others]) => [...others].every((other) => done.has(other)))
      .map(([name]) => name);
    if (!level.length) break;
    for (const name of level) needs.delete(name);
    for (const name of level) done.add(name);
    levels.push(level);
  }
  if (needs.size) reportCircle(services, needs, report);
  return levels;
}

/** Returns the start order of a parsed project, which has no such errors. */
export const startOrder = (services: readonly Depending[]): string[][] =>
  startLevels(services, new Set(), new ComposeReport());

function reportAbsent(
  name: string,
  { service, isRequired, at }: Dependency,
  inactive: ReadonlySet<string>,
  report: ComposeReport,
): void {
  if (!inactive.has(service)) report.error(at, `services.${name} depends on ${service}, which does not exist`);
  else if (isRequired) report.error(at, `services.${name} depends on ${service}, whose profile is not active`);
  else report.warn(at, `services.${name} starts without ${service}, whose profile is not active`);
}

/** Follows unresolved dependencies until a service repeats. */
function reportCircle(
  services: readonly Depending[],
  needs: ReadonlyMap<string, Set<string>>,
  report: ComposeReport,
): void {
  const way: string[] = [];
  let name = needs.keys().next().value!;
  while (!way.includes(name)) {
    way.push(name);
    name = [...needs.get(name)!].find((other) => needs.has(other))!;
  }
  const circle = way.slice(way.indexOf(name));
  const first = services.find((service) => service.name === circle[0])!;
  const at = first.dependsOn.find(({ service }) => service === (circle[1] ?? circle[0]))?.at ?? first.at;
  report.error(at, `services depend on each other in a circle: ${[...circle, name].join(' -> ')}`);
}
