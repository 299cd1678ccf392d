import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mistakesOf, serviceFile, warningsOf } from '../compose-rig.ts';
import { composeFieldsPage } from './page.ts';
import { projectFields } from './project-fields.ts';
import { serviceFields } from './service-fields.ts';

describe('field tables', () => {
  it('match the page in the docs', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/compose-fields.md'), 'utf8');
    expect(page).toBe(composeFieldsPage());
  });

  const plain = (is: string) =>
    Object.entries(serviceFields).filter(([path, verdict]) => verdict.is === is && !/[.[]/.test(path));

  it.each(plain('warned'))('warn about %s', async (field, verdict) => {
    const why = verdict.is === 'warned' ? verdict.why : '';
    expect(await warningsOf(serviceFile(`${field}: {}`))).toContain(
      `compose.yaml:4: services.a.${field} is ignored: ${why}`,
    );
  });

  it.each(plain('refused'))('reject %s', async (field, verdict) => {
    const why = verdict.is === 'refused' ? verdict.why : '';
    expect(await mistakesOf(serviceFile(`${field}: {}`))).toContain(
      `compose.yaml:4: services.a.${field} is refused: ${why}`,
    );
  });

  it('apply at every depth', async () => {
    const text = `x-any: {thing: 1}
version: "3"
surprise: true
xray: {}
services:
  a:
    image: x
    x-own: 1
    imagee: y
    build:
      context: .
      tags: [t]
      tagss: [t]
    ports:
      - {target: 80, mode: host, modee: 1}
    networks:
      default: {priority: 5, aliases: [q], prio: 6}
    deploy:
      resources:
        limits: {cpus: 1, gpu: 1}
    depends_on:
      b: {condition: service_started, later: true}
  b: {image: x}
networks:
  default: {attachable: true, attach: true}
`;
    expect(await warningsOf(text)).toEqual([
      'compose.yaml:3: surprise is ignored: there is no such field',
      'compose.yaml:4: xray is ignored: there is no such field',
      'compose.yaml:25: networks.default.attachable is ignored: Swarm only',
      'compose.yaml:25: networks.default.attach is ignored: there is no such field',
      'compose.yaml:9: services.a.imagee is ignored: there is no such field',
      'compose.yaml:12: services.a.build.tags is ignored: images are named by Mooring',
      'compose.yaml:13: services.a.build.tagss is ignored: there is no such field',
      'compose.yaml:15: services.a.ports.mode is ignored: Swarm only',
      'compose.yaml:15: services.a.ports.modee is ignored: there is no such field',
      'compose.yaml:17: services.a.networks.default.priority is ignored: the engine chooses the order',
      'compose.yaml:17: services.a.networks.default.prio is ignored: there is no such field',
      'compose.yaml:20: services.a.deploy.resources.limits.gpu is ignored: there is no such field',
      'compose.yaml:22: services.a.depends_on.b.later is ignored: there is no such field',
    ]);
  });

  it('have an entry for every parent', () => {
    for (const table of [serviceFields, projectFields])
      for (const path of Object.keys(table).filter((each) => each.includes('.'))) {
        const parent = path.replace(/(\[\])?(\.\*)?\.[^.]+$/, '');
        expect(table[parent] ?? table[parent.replace(/\[\]$/, '')], path).toMatchObject({ is: 'carried out' });
      }
  });

  it('ignore names of object prototypes', async () => {
    expect(await warningsOf(serviceFile('constructor: 1\ntoString: 2\n__proto__: 3'))).toHaveLength(3);
  });
});
