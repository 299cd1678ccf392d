import { describe, expect, it } from 'vitest';
import { type ComposeService, readServiceEntries } from '../../../compose/index.ts';
import { whyOnlyOne } from '../model/single-replica.ts';
import type { ServiceImage } from '../model/stack.ts';
import { planServices, type WantedService } from './plan.ts';
import type { RunningService } from '../stack/running-services.ts';

const image = (imageId: string, volumes: string[] = []): ServiceImage => ({
  image: 'some',
  imageId,
  isOwn: false,
  bytes: 1,
  ports: [],
  volumes,
  hasHealthcheck: false,
  port: null,
});
const service = (name: string, fields: object = {}): ComposeService =>
  readServiceEntries('shop', [
    { name, image: 'some', ...fields },
    ...(name === 'other' ? [] : [{ name: 'other', image: 'some' }]),
  ]).services[0]!;
const seen = (of: ComposeService, more: Partial<RunningService> = {}): [string, RunningService] => [
  of.name,
  { service: of, digest: 'same', image: image('sha256:1'), runsOf: 'dep_1', isThere: true, isOver: false, ...more },
];
const wanted = (of: ComposeService, more: Partial<WantedService> = {}): WantedService => ({
  service: of,
  digest: 'same',
  image: image('sha256:1'),
  dataFolders: [],
  ...more,
});
const plan = (before: [string, RunningService][], after: WantedService[]) => planServices(new Map(before), after);

describe('plan of several services', () => {
  it('keeps unchanged services, creates, replaces and removes', () => {
    const [web, api] = [service('web'), service('api')];
    const changed = wanted(api, { digest: 'another' });
    const plans = plan([seen(web), seen(api), seen(service('old'))], [wanted(web), changed, wanted(service('new'))]);
    expect(plans.map(({ name, change, strategy }) => [name, change, strategy])).toEqual([
      ['web', 'unchanged', null],
      ['api', 'replace', 'start_first'],
      ['new', 'create', null],
      ['old', 'remove', null],
    ]);
  });

  it.each([
    ['another digest', { digest: 'another' }, {}, 'its settings or its files have changed'],
    ['another image under the same name', { image: image('sha256:2') }, {}, 'there is a newer image'],
    ['a container that is gone', {}, { isThere: false }, 'its container is gone'],
  ])('replaces for %s', (_, after, before, reason) => {
    const web = service('web');
    expect(plan([seen(web, before)], [wanted(web, after)])).toMatchObject([{ change: 'replace', reason }]);
  });

  it('knows an external volume by its name outside the project', () => {
    const external = (name: string) => [
      { name, externalName: 'shop_data', driver: null, driverOptions: {}, labels: {}, at: { file: 'f', line: 1 } },
    ];
    const before = seen(service('db', { volumes: ['shop_data:/data'] }), { volumes: external('shop_data') });
    const db = wanted(service('db', { volumes: ['data:/data'] }), { digest: 'another' });
    expect(plan([before], [{ ...db, volumes: external('data') }])).toMatchObject([
      { strategy: 'stop_first', reason: expect.stringContaining('the volume shop_data') as string, dataAtRisk: [] },
    ]);
    expect(plan([before], [db])).toMatchObject([
      { dataAtRisk: ['db has the volume data at /data in place of the volume shop_data'] },
    ]);
  });

  const stopsFirst = [
    ['a port of the machine', { ports: ['8080:80'] }, 'it publishes port 8080 of the machine'],
    ['a named volume', { volumes: ['data:/data'] }, 'it writes to the volume data'],
    ['a volume without a name', { volumes: ['/data'] }, 'it writes to its volume at /data'],
    ['the network of the machine', { network_mode: 'host' }, 'it uses the network of the machine'],
  ] as const;
  it.each(stopsFirst)('stops the old version first for %s', (_, fields, reason) => {
    const db = service('db', fields);
    const [planned] = plan([seen(db)], [wanted(db, { digest: 'another' })]);
    expect(planned).toMatchObject({ change: 'replace', strategy: 'stop_first' });
    expect(planned!.reason).toContain(reason);
  });

  it('stops the old version first for a fixed address, unless the address changes', () => {
    const at = (address: string) => ({ ...service('db'), networks: [{ name: 'n', aliases: [], address }] });
    const strategyOf = (from: string, to: string) =>
      plan([seen(at(from))], [wanted(at(to), { digest: 'another' })])[0]!.strategy;
    expect(strategyOf('10.0.0.5', '10.0.0.5')).toBe('stop_first');
    expect(strategyOf('10.0.0.5', '10.0.0.6')).toBe('start_first');
    expect(whyOnlyOne(at('10.0.0.5'), null, [])).toContain('the address 10.0.0.5');
  });

  const sideBySide = [
    ['a volume that is only read', { volumes: ['data:/data:ro'] }],
    ['any port of the machine', { ports: ['80'] }],
    ['a folder of the source', { volumes: ['./html:/html'] }],
    ['memory', { tmpfs: ['/data'] }],
  ] as const;
  it.each(sideBySide)('starts the new version first with %s', (_, fields) => {
    const web = service('web', fields);
    expect(plan([seen(web)], [wanted(web, { digest: 'another' })])).toMatchObject([{ strategy: 'start_first' }]);
  });

  it('stops first for volumes of the image and folders that contain data', () => {
    const plain = service('db');
    const keeps = image('sha256:1', ['/var/lib/data']);
    const ofImage = plan([seen(plain, { image: keeps })], [wanted(plain, { digest: 'b', image: keeps })]);
    expect(ofImage).toMatchObject([{ strategy: 'stop_first' }]);
    const bound = service('db', { volumes: ['./data:/data'] });
    const ofFolder = plan([seen(bound)], [wanted(bound, { digest: 'b', dataFolders: ['data'] })]);
    expect(ofFolder).toMatchObject([{ strategy: 'stop_first' }]);
  });

  it('replaces services that depend on a replaced one', () => {
    const restarted = service('web', { dependsOn: { other: { condition: 'service_started', restart: true } } });
    const inside = service('side', { network_mode: 'service:other' });
    const plans = plan(
      [seen(restarted), seen(inside), seen(service('other'))],
      [wanted(restarted), wanted(inside), wanted(service('other'), { digest: 'another' })],
    );
    expect(plans.map(({ change, reason }) => [change, reason])).toEqual([
      ['replace', 'it is restarted with other'],
      ['replace', 'it is restarted with other'],
      ['replace', 'its settings or its files have changed'],
    ]);
  });

  const risky = [
    ['drops a volume', { volumes: ['data:/data'] }, {}, 'db no longer has the volume data at /data'],
    ['exchanges a volume', { volumes: ['a:/data'] }, { volumes: ['b:/data'] }, 'has the volume b at /data in place of'],
    [
      'drops an unnamed volume',
      { volumes: [`${'1f'.repeat(32)}:/data`] },
      {},
      `db no longer has the unnamed volume ${'1f'.repeat(32)} at /data`,
    ],
    ['moves a volume', { volumes: ['a:/data'] }, { volumes: ['a:/other'] }, 'the volume a no longer at /data'],
  ] as const;
  it.each(risky)('warns if a change %s', (_, before, after, sentence) => {
    const [planned] = plan([seen(service('db', before))], [wanted(service('db', after), { digest: 'b' })]);
    expect(planned!.dataAtRisk).toEqual([expect.stringContaining(sentence)]);
  });

  it('warns if a removed service leaves a volume unused', () => {
    const db = service('db', { volumes: ['data:/data'] });
    expect(plan([seen(db)], [])[0]!.dataAtRisk).toEqual(['db is removed, and nothing else uses the volume data']);
    const reader = service('web', { volumes: ['data:/x'] });
    expect(plan([seen(db)], [wanted(reader)])[1]!.dataAtRisk).toEqual([]);
  });
});
