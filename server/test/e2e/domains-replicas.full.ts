import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ask, deploy, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { type NameServer, startNameServer } from '../rig/name-server.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { newDatabase } from '../rig/postgres.ts';
import { secondOrganization } from '../rig/second-organization.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Refusal = { error: string; message?: string };
const rounds = 20;

const recordIn = ({ message = '' }: Refusal) => {
  const [, record = '', value = ''] = /TXT record (\S+) with the value (\S+)/.exec(message) ?? [];
  return { record, value };
};
const add = (service: Service, id: string, name: string) => service.post(`/api/projects/${id}/domains`, { name });
const namesOf = async (service: Service, id: string) => {
  const { data } = await json<{ data: { name: string }[] }>(service.get(`/api/projects/${id}/domains`));
  return data.map(({ name }) => name);
};

describe.runIf(has('postgres'))('domains requested from two replicas at once', () => {
  let dns: NameServer;
  let replicas: [Service, Service];
  let stranger: Service;
  beforeAll(async () => {
    dns = await startNameServer();
    const env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_DNS_SERVERS: dns.address,
      MOORING_ACME_DIRECTORY: 'none',
      MOORING_LOG_LEVEL: 'warn',
    };
    replicas = [await startService({ env }), await startService({ env })];
    stranger = await secondOrganization(replicas[0]);
  });
  afterAll(async () => {
    for (const each of replicas ?? []) await each.stop();
    await dns?.stop();
  });

  it('have one owner each, and all others get a 409', async () => {
    const projects = await Promise.all(['one', 'two', 'three', 'four'].map((each) => ensureProject(replicas[0], each)));
    for (let round = 0; round < rounds; round++) {
      const name = `n${round}.example.com`;
      const answers = await Promise.all(projects.map((id, i) => add(replicas[i % 2]!, id, name)));
      expect(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        name,
      ).toEqual([201, 409, 409, 409]);
    }
    const all = await Promise.all(projects.map((id) => namesOf(replicas[1], id)));
    expect(all.flat().toSorted()).toEqual(Array.from({ length: rounds }, (_, i) => `n${i}.example.com`).toSorted());
  });

  it('go to one of those who prove ownership, through either replica', async () => {
    const theirs = await ensureProject(stranger, 'theirs');
    const ours = await Promise.all(['a', 'b', 'c', 'd'].map((each) => ensureProject(replicas[0], each)));
    for (let round = 0; round < rounds / 4; round++) {
      const name = `p${round}.example.com`;
      expect((await add(stranger, theirs, name)).status).toBe(201);
      const [first, second] = await Promise.all(
        replicas.map(async (each) => recordIn((await (await add(each, ours[0]!, name)).json()) as Refusal)),
      );
      expect(first, 'every replica asks for the same').toEqual(second);
      dns.texts.set(first!.record, [first!.value]);
      const answers = await Promise.all(ours.map((id, i) => add(replicas[i % 2]!, id, name)));
      expect(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        name,
      ).toEqual([201, 409, 409, 409]);
    }
    expect(await namesOf(stranger, theirs)).toEqual([]);
    expect((await Promise.all(ours.map((id) => namesOf(replicas[0], id)))).flat()).toHaveLength(rounds / 4);
  }, 60_000);
});

describe('a domain with a new owner', () => {
  it('serves its new owner at once, at the real edge', async () => {
    const dns = await startNameServer();
    const port = await freePort();
    const service = await startService({
      env: {
        MOORING_EDGE_PORT: String(port),
        MOORING_DNS_SERVERS: dns.address,
        MOORING_ACME_DIRECTORY: 'none',
        MOORING_LOG_LEVEL: 'warn',
      },
    });
    try {
      const stranger = await secondOrganization(service);
      const [theirs, ours] = [await ensureProject(stranger, 'squatter'), await ensureProject(service, 'owner')];
      await deploy(stranger, theirs, nodeApp('squatter'));
      const { id } = await deploy(service, ours, nodeApp('owner'));
      await add(stranger, theirs, 'shop.example.com');
      const url = `http://shop.example.com:${port}`;
      expect((await ask(url)).body).toBe('squatter');
      const { record, value } = recordIn((await (await add(service, ours, 'shop.example.com')).json()) as Refusal);
      dns.texts.set(record, [value]);
      expect((await add(service, ours, 'shop.example.com')).status).toBe(201);
      expect((await ask(url)).body).toBe('owner');
      expect((await ask(`http://squatter.localhost:${port}`)).body).toBe('squatter');
      await until('both say so', async () => {
        type Shown = { data: { id: string; urls: string[] }[] };
        const [mine, his] = [service, stranger].map((each) => json<Shown>(each.get('/api/deployments')));
        const isMine = (await mine)!.data.find((each) => each.id === id)?.urls.includes(url);
        return isMine && !(await his)!.data.some(({ urls }) => urls.includes(url));
      });
    } finally {
      await service.stop();
      await dns.stop();
    }
  }, 60_000);
});
