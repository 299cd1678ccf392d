import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { endRun, rigFolder } from '../server/test/rig/children.ts';
import { installForOwner } from '../server/test/rig/githost-install.ts';
import { announcedRepository, pushBody, signedBy } from '../server/test/rig/githost-pushes.ts';
import { appId } from '../server/test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../server/test/rig/githost.ts';
import { headers, post } from './deploying.ts';
import { cpuSeconds, newDataDir, removeDataDir, type Running, startBareHook, startService } from './processes.ts';
import { siteFolder } from './sources.ts';
import type { BenchmarkRow } from './table.ts';

const count = process.env['BENCH_QUICK'] === '1' ? 20 : 100;
const secret = 'what the host signs with for the app';
const path = '/api/webhooks/githost';

type Repository = Awaited<ReturnType<typeof announcedRepository>>;

/** From a push webhook to its deployment in the queue, and the cost of a webhook. */
export async function pushes(): Promise<BenchmarkRow[]> {
  const [host, dataDir] = [await startGitHost(), newDataDir()];
  const service = await startService(dataDir, {
    MOORING_RUNTIME: 'process',
    GITHOST_URL: host.webUrl,
    GITHOST_APP_ID: String(appId),
    GITHOST_APP_PRIVATE_KEY: host.appKey,
    GITHOST_WEBHOOK_SECRET: secret,
    // No polling after the first time: the commits of this benchmark do not exist on the branch.
    MOORING_PUSH_POLL_SECONDS: '86400',
  });
  const bare = await startBareHook(secret);
  try {
    installForOwner(dataDir);
    const repository = await announcedRepository(host, 'team/shop');
    const project = await followed(service, host);
    const waits = await queueing(service, project, repository, host);
    const again = pushBody({ repository, before: '1'.repeat(40), after: '2'.repeat(40) });
    const [told, toldBare] = [await telling(service, () => again), await telling(bare, () => again)];
    const fresh = () => pushBody({ repository, before: newSha(), after: newSha(), branch: 'elsewhere' });
    const [news, newsBare] = [await telling(service, fresh), await telling(bare, fresh)];
    return [
      {
        what: `push to a queued deployment, median of ${count}`,
        measured: millis(waits[count >> 1]!),
        aim: 'under 100 ms',
      },
      { what: 'the same, the slowest of a hundred', measured: millis(waits[Math.floor(count * 0.99)]!) },
      against('announcement answered, new', news.ms, newsBare.ms, millis),
      against('announcement answered, known already', told.ms, toldBare.ms, millis),
      against('CPU microseconds, known already', told.cpu, toldBare.cpu, (value) => value.toFixed(0)),
    ];
  } finally {
    await Promise.all([service.stop(), bare.stop(), host.stop()]);
    removeDataDir(dataDir);
    endRun(rigFolder());
  }
}

const millis = (value: number) => `${value.toFixed(1)} ms`;
const newSha = () => randomBytes(20).toString('hex');

function against(what: string, ours: number, bare: number, shown: (value: number) => string): BenchmarkRow {
  return {
    what,
    measured: shown(ours),
    against: `signature alone ${shown(bare)}`,
    ratio: `${(ours / bare).toFixed(2)} x`,
  };
}

/** A busy project that follows the repository, so that pushed commits stay queued. */
async function followed(service: Running, host: GitHostRig): Promise<string> {
  host.git.push('team/shop', siteFolder('one'), 'the first commit');
  const busy = { name: 'shop', buildCommand: 'sleep 600' };
  const { project_id } = await post<{ project_id: string }>(service, '/api/projects/ensure', busy);
  const path = `/api/projects/${project_id}/link`;
  type Link = { data: { checkedAt: string } };
  const { data: linked } = await post<Link>(service, path, { owner: 'team', repo: 'shop' });
  const look = async () => ((await (await fetch(service.url + path, { headers })).json()) as Link).data;
  await until(look, ({ checkedAt }) => checkedAt !== linked.checkedAt);
  return project_id;
}

const announce = (to: Running, body: Buffer) =>
  fetch(to.url + path, { method: 'POST', headers: signedBy(secret, body), body: new Uint8Array(body) });

/** Milliseconds from sending until the deployment is stored, sorted. The SHAs are made up: nothing is fetched. */
async function queueing(service: Running, project: string, repository: Repository, host: GitHostRig) {
  const waits: number[] = [];
  let before = host.git.push('team/shop', siteFolder('two'), 'the commit that is built for ever');
  type List = { data: { commitSha: string; status: string; timing: { createdAt: string } }[] };
  const newest = async () => {
    const answer = await fetch(`${service.url}/api/deployments?projectId=${project}&limit=1`, { headers });
    return ((await answer.json()) as List).data[0];
  };
  await announce(service, pushBody({ repository, before: newSha(), after: before }));
  await until(newest, ({ status }) => status === 'building');
  for (let i = 0; i < count; i++) {
    const after = newSha();
    const sent = performance.timeOrigin + performance.now();
    await announce(service, pushBody({ repository, before, after }));
    const found = await until(newest, ({ commitSha }) => commitSha === after);
    waits.push(Date.parse(found.timing.createdAt) - sent);
    before = after;
  }
  return waits.toSorted((a, b) => a - b);
}

/** Polls slowly, so that polling does not distort the measurement. */
async function until<T>(ask: () => Promise<T | undefined>, isThere: (found: T) => boolean): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; await pause(10)) {
    const found = await ask();
    if (found && isThere(found)) return found;
  }
  throw new Error('a push was not deployed within 30 s');
}

/** The cost of one webhook, sent sequentially. */
async function telling(to: Running, bodyOf: () => Buffer): Promise<{ ms: number; cpu: number }> {
  const bodies = Array.from({ length: count }, bodyOf);
  await (await announce(to, bodyOf())).text();
  const [began, cpu] = [performance.now(), cpuSeconds(to)];
  for (const body of bodies) {
    const answer = await announce(to, body);
    if (answer.status !== 202) throw new Error(`an announcement was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }
  return { ms: (performance.now() - began) / count, cpu: ((cpuSeconds(to) - cpu) / count) * 1e6 };
}
