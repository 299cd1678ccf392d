import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContainer, surveyOf } from '../facts-rig.ts';
import { foundServices } from '../stack/found-services.ts';
import { documentOf } from './document.ts';
import { freeName } from './names.ts';
import { readDocument } from '../../../compose/document.ts';
import { adoptionVerdictOf } from '../stack/verdict.ts';
import { trustReasons } from './trust.ts';
import { adoptionWarnings, indexAdoptedTogether } from './warnings.ts';

const chosenOf = (containers: ReturnType<typeof testContainer>[]) => {
  const taken = new Set<string>();
  return foundServices(containers).map((found) => ({ key: freeName(found.service, taken), found, config: null }));
};
const projectOf = (containers: ReturnType<typeof testContainer>[], survey = surveyOf(containers)) =>
  readDocument('x', JSON.stringify(documentOf(chosenOf(containers), survey)));
const reasonsFor = async (facts: Parameters<typeof testContainer>[1], more: Parameters<typeof surveyOf>[1] = {}) => {
  const all = [testContainer('x', facts)];
  const survey = surveyOf(all, more);
  return trustReasons(await projectOf(all, survey), chosenOf(all), survey).map(({ reason }) => reason);
};

describe('compose document', () => {
  it('preserves every variable and argument', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }).map((each) => each.replaceAll('\0', '').toWellFormed()),
      fc.constantFrom(
        '$',
        '$$',
        '${A}',
        '${A:-b}',
        '"',
        "'",
        '\\',
        '\n',
        '\t',
        '# x',
        '- a',
        '{',
        'null',
        '1e3',
        '\ufeff',
        '\u0085',
      ),
    );
    const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,10}$/);
    return fc.assert(
      fc.asyncProperty(fc.dictionary(key, text), fc.array(text), async (environment, words) => {
        const env = Object.entries(environment).map((pair) => pair.join('='));
        const { services } = await projectOf([
          testContainer('x', { config: { Env: env, Cmd: words, Entrypoint: [] } }),
        ]);
        expect(services[0]!.environment).toEqual({ ...environment });
        expect(services[0]!.command).toEqual(words);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves out fixed addresses, with a warning', async () => {
    const fixed = { IPAMConfig: { IPv4Address: '172.20.0.5', IPv6Address: '' } };
    const all = [testContainer('x', { host: { NetworkMode: 'n' }, networks: { n: fixed } })];
    expect((await projectOf(all)).services[0]!.networks).toMatchObject([{ name: 'n' }]);
    expect(JSON.stringify(documentOf(chosenOf(all), surveyOf(all)))).not.toContain('172.20.0.5');
    const [found] = foundServices(all);
    expect(adoptionWarnings(found!, indexAdoptedTogether([found!], surveyOf(all)))).toContain(
      'its address 172.20.0.5 is not carried over; other services must use its name',
    );
  });

  it('pins images by digest, and never pulls images without one', async () => {
    const id = `sha256:${'1'.repeat(64)}`;
    const digest = `sha256:${'2'.repeat(64)}`;
    const image = (facts: object) => ({ images: [{ Id: id, RepoTags: [], RepoDigests: [], Labels: {}, ...facts }] });
    const imageOf = async (more: object) => {
      const all = [testContainer('x')];
      const { services } = await projectOf(all, surveyOf(all, more));
      return [services[0]!.image, services[0]!.pullPolicy];
    };
    const digests = [`other@${digest}`, `nginx@${digest}`];
    expect(await imageOf(image({ RepoDigests: digests }))).toEqual([`nginx@${digest}`, 'missing']);
    expect(await imageOf(image({ RepoTags: ['nginx:1'] }))).toEqual(['nginx:1', 'never']);
    expect(await imageOf(image({ RepoTags: ['nginx:2'] }))).toEqual([id, 'never']);
    expect(await imageOf({})).toEqual([id, 'never']);
  });

  it('keeps shared namespaces and links between services', async () => {
    const web = testContainer('web', {
      host: { NetworkMode: `container:${testContainer('vpn').Id}`, PidMode: 'container:vpn' },
    });
    const vpn = testContainer('vpn', { host: { Links: ['/db:/vpn/database', '/gone:/vpn/x'] } });
    const { services } = await projectOf([web, vpn, testContainer('db')]);
    const found = (name: string) => services.find((each) => each.name === name)!;
    expect(found('web')).toMatchObject({ networkMode: 'service:vpn', isolation: { pid: 'service:vpn' } });
    expect(found('vpn').links).toEqual([{ service: 'db', alias: 'database' }]);
  });

  it('warns if a namespace owner is not adopted, and does not require trust for it yet', () => {
    const all = foundServices([
      testContainer('web', { host: { NetworkMode: `container:${testContainer('vpn').Id}` } }),
      testContainer('vpn'),
    ]);
    const survey = surveyOf(all.flatMap(({ containers }) => containers));
    const web = all.find(({ name }) => name === 'web')!;
    const stay = expect.stringContaining('shares a namespace') as string;
    expect(adoptionVerdictOf(web, indexAdoptedTogether(all, survey), survey, new Set())).toMatchObject({
      adoptable: true,
      needsTrust: [],
      warnings: [],
    });
    expect(adoptionVerdictOf(web, indexAdoptedTogether([web], survey), survey, new Set()).warnings).toEqual([stay]);
  });

  it.each([
    ['nothing', {}, []],
    ['a named volume', { mounts: [{ Type: 'volume', Name: 'data', Destination: '/data', RW: true }] }, []],
    [
      'a folder of the machine',
      { mounts: [{ Type: 'bind', Source: '/srv', Destination: '/srv' }] },
      ['is a path of the machine'],
    ],
    ['the socket', { mounts: [{ Type: 'bind', Source: '/run/docker.sock', Destination: '/s' }] }, ['Docker socket']],
    ['privileged', { host: { Privileged: true } }, ['full control of the machine']],
    ['its network', { host: { NetworkMode: 'host' } }, ['shares a namespace']],
    ['its processes', { host: { PidMode: 'host' } }, ['shares a namespace']],
    ['cgroups', { host: { CgroupnsMode: 'host' } }, ['shares a namespace']],
    ['capabilities', { host: { CapAdd: ['SYS_ADMIN', 'CHOWN'] } }, ['SYS_ADMIN is beyond']],
    ['devices', { host: { Devices: [{ PathOnHost: '/dev/kvm' }] } }, ['/dev/kvm']],
    ['graphics cards', { host: { DeviceRequests: [{ Count: -1, Capabilities: [['gpu']] }] } }, ['GPUs']],
    ['no seccomp', { host: { SecurityOpt: ['seccomp=unconfined'] } }, ['removes protection']],
    ['another runtime', { host: { Runtime: 'sysbox' } }, ['is isolated']],
    ['another container', { host: { NetworkMode: 'container:abc' } }, ['does not belong to this project']],
  ] as const)('requires trust for %s', async (_, facts, expected) => {
    const reasons = await reasonsFor(facts as Parameters<typeof testContainer>[1]);
    expect(reasons).toEqual(expected.map((each) => expect.stringContaining(each) as string));
  });

  it('requires trust for volumes and networks with host access or of another project', async () => {
    const mounts = [{ Type: 'volume', Name: 'v', Destination: '/v' }];
    const volume = (facts: object) => ({
      volumes: [{ Name: 'v', Driver: 'local', Labels: {}, Options: {}, ...facts }],
    });
    const reasons = (facts: object) => reasonsFor({ mounts }, volume(facts));
    expect(await reasons({})).toEqual([]);
    expect(await reasons({ Options: { type: 'tmpfs', device: 'tmpfs' } })).toEqual([]);
    expect(await reasons({ Options: { type: 'none', o: 'bind', device: '/' } })).toHaveLength(1);
    expect(await reasons({ Driver: 'nfs' })).toHaveLength(1);
    expect(await reasons({ Labels: { 'mooring.instance': 'x' } })).toHaveLength(1);
    const network = (facts: object) => ({
      networks: [{ Id: 'n', Name: 'n', Driver: 'bridge', Internal: false, Attachable: true, Labels: {}, ...facts }],
    });
    const on = { host: { NetworkMode: 'n' }, networks: { n: {} } };
    expect(await reasonsFor(on, network({}))).toEqual([]);
    expect(await reasonsFor(on, network({ Driver: 'macvlan' }))).toHaveLength(1);
    expect(await reasonsFor(on, network({ Labels: { 'mooring.instance': 'x' } }))).toHaveLength(1);
  });

  it('uses valid compose names', () => {
    const taken = new Set<string>();
    const names = ['web', 'WEB', '', '../../x', 'ü', 'a b', 'x'.repeat(300), 'x'.repeat(301), '\u001b[31m'].map(
      (each) => freeName(each, taken),
    );
    expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);
  });
});
