import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakesOf, projectOf, warningsOf } from './compose-rig.ts';
import { startOrder } from './graph.ts';

const at = { file: 'x', line: 1 };
const needing = (name: string, others: string[]) => ({
  name,
  at,
  dependsOn: others.map((service) => ({
    service,
    condition: 'service_started' as const,
    isRequired: true,
    isRestarted: false,
    at,
  })),
});

describe('start order', () => {
  it('groups independent services', async () => {
    const text = `services:
  web: {image: x, depends_on: [api, cache]}
  api: {image: x, depends_on: {db: {condition: service_healthy}}}
  db: {image: x}
  cache: {image: x}
  side: {image: x, network_mode: "service:web"}
`;
    expect(startOrder((await projectOf(text)).services)).toEqual([['db', 'cache'], ['api'], ['web'], ['side']]);
  });

  it('reports cycles with their line', async () => {
    const text =
      'services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: [c]}\n  c: {image: x, depends_on: [b]}\n';
    expect(await mistakesOf(text)).toEqual(['compose.yaml:3: services depend on each other in a circle: b -> c -> b']);
    expect(await mistakesOf('services:\n  a: {image: x, links: [a]}')).toEqual([
      'compose.yaml:2: services depend on each other in a circle: a -> a',
    ]);
  });

  it('skips optional dependencies that are inactive', async () => {
    const file = (lines: string) =>
      `services:\n  a:\n    image: x\n    depends_on:\n      b: ${lines}\n  b: {image: x, profiles: [p]}\n`;
    expect(await warningsOf(file('{condition: service_started, required: false}'))).toEqual([
      'compose.yaml:5: services.a starts without b, whose profile is not active',
    ]);
    expect(await mistakesOf(file('{condition: service_started}'))).toEqual([
      'compose.yaml:5: services.a depends on b, whose profile is not active',
    ]);
  });

  it('contains each service once, after its dependencies', () => {
    const graph = fc.array(fc.array(fc.nat({ max: 100 })), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(graph, (edges) => {
        // Dependencies go to earlier services only, so there is no cycle.
        const services = edges.map((targets, i) =>
          needing(`s${i}`, i ? [...new Set(targets.map((to) => `s${to % i}`))] : []),
        );
        const levels = startOrder(services);
        const order = levels.flat();
        expect(order.toSorted()).toEqual(services.map(({ name }) => name).toSorted());
        for (const { name, dependsOn } of services)
          for (const { service } of dependsOn)
            expect(levels.findIndex((level) => level.includes(service))).toBeLessThan(
              levels.findIndex((level) => level.includes(name)),
            );
      }),
      { numRuns: 200 },
    );
  });

  it('is fast for long chains', () => {
    const row = Array.from({ length: 200 }, (_, i) => needing(`s${i}`, i < 199 ? [`s${i + 1}`] : []));
    expect(startOrder(row)).toHaveLength(200);
  });
});
