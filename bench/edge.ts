import { type LoadResult, measureNewConnections, measureHttp2, measureKeepAlive } from './http-load.ts';
import { edgeWithManyDomains } from './edge-domains.ts';
import { domain, installPeers, type Peer, startCaddy, startEdge, startNginx } from './edge-peers.ts';
import { familyCpuSeconds, memoryMegabytesOf, type Running, startBare } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const quick = process.env['BENCH_QUICK'] === '1';
/** 13 measurements in each round: more or longer ones would take minutes without a more accurate best round. */
const [rounds, seconds] = quick ? [2, 2] : [3, 3];
const warmUpSeconds = 1;

type Measured = LoadResult & { cpuPer10000: number };
type Proxy = 'edge' | 'caddy' | 'nginx';
type Who = 'app' | Proxy;
type Way = { name: string; ask: (who: Who, length: number) => Promise<LoadResult> };

/** The edge, Caddy and nginx in front of the same app with the same certificate: the cost of proxying and of adding
 * domains. */
export async function edge(): Promise<BenchmarkRow[]> {
  installPeers();
  const app = await startBare(JSON.stringify({ text: 'x'.repeat(500) }));
  const appPort = Number(new URL(app.url).port);
  try {
    return [...(await passingOn(app, appPort)), ...(await edgeWithManyDomains(appPort))];
  } finally {
    await app.stop();
  }
}

async function passingOn(app: Running, appPort: number): Promise<BenchmarkRow[]> {
  // wrk and ab need a host name that the machine resolves, and TLS needs one.
  const localhost = domain('localhost');
  const peers = {
    edge: await startEdge(appPort),
    caddy: await startCaddy(appPort, [localhost]),
    nginx: await startNginx(appPort, localhost),
  };
  try {
    await peers.edge.add(localhost);
    const idle = memory('memory, idle', peers, 'at most 45 MB');
    const plain = (who: Who) => (who === 'app' ? app.url : `http://localhost:${peers[who].port}`);
    const secure = (who: Who) => `https://localhost:${peers[who as Proxy].tlsPort()}`;
    const ways: Way[] = [
      { name: 'plain HTTP', ask: (who, length) => measureKeepAlive(`${plain(who)}/`, length) },
      { name: 'TLS', ask: (who, length) => measureKeepAlive(`${secure(who)}/`, length) },
      {
        name: 'TLS, a new connection for each',
        ask: (who, length) => measureNewConnections(`${secure(who)}/`, length),
      },
      { name: 'HTTP/2', ask: (who, length) => measureHttp2(`${secure(who)}/`, length) },
    ];
    const pids = { app: app.child.pid!, edge: peers.edge.pid, caddy: peers.caddy.pid, nginx: peers.nginx.pid };
    const results = await interleaved(ways, pids);
    return [
      ...ways.flatMap((way, i) => rowsOf(way.name, results[i]!)),
      idle,
      memory('memory after all this', peers, 'at most 80 MB'),
    ];
  } finally {
    for (const peer of Object.values(peers)) await peer.stop();
  }
}

const proxies = ['edge', 'caddy', 'nginx'] as const;

type Results = Record<Who, Measured[]>;

/** Interleaves all candidates in each round, so that other load hits all of them alike. The first round is a warm-up
 * and does not count. */
async function interleaved(ways: Way[], pids: Record<Who, number>): Promise<Results[]> {
  const results = ways.map((): Results => ({ app: [], edge: [], caddy: [], nginx: [] }));
  for (let round = 0; round <= rounds; round++)
    for (const [i, { ask }] of ways.entries())
      for (const who of [...(i === 0 ? (['app'] as const) : []), ...proxies]) {
        const before = familyCpuSeconds(pids[who]);
        const answers = await ask(who, round > 0 ? seconds : warmUpSeconds);
        const cpuPer10000 = ((familyCpuSeconds(pids[who]) - before) / answers.requests) * 10_000;
        if (round > 0) results[i]![who].push({ ...answers, cpuPer10000 });
      }
  return results;
}

/** Other load only ever makes a result worse, so the best round is the most accurate. */
function best(all: Measured[]): Measured {
  const least = (key: keyof Measured) => Math.min(...all.map((each) => each[key]));
  const perSecond = Math.max(...all.map((each) => each.perSecond));
  return { requests: 0, perSecond, p50: least('p50'), p99: least('p99'), cpuPer10000: least('cpuPer10000') };
}

function rowsOf(name: string, { app, edge, caddy, nginx }: Results): BenchmarkRow[] {
  const ours = best(edge);
  const others = { Caddy: best(caddy), nginx: best(nginx) };
  return [
    ...(app.length ? speed(name, ours, best(app), 'the app itself') : []),
    ...Object.entries(others).flatMap(([who, other]) => [
      ...speed(name, ours, other, who).map((row, i) => ({
        ...row,
        ...(who === 'Caddy' && { aim: `at ${i ? 'most' : 'least'} 1 x` }),
      })),
      {
        what: `CPU seconds for 10,000 requests, ${name}`,
        measured: ours.cpuPer10000.toFixed(2),
        against: `${who} ${other.cpuPer10000.toFixed(2)}`,
        ratio: `${(ours.cpuPer10000 / other.cpuPer10000).toFixed(2)} x`,
        ...(who === 'Caddy' && { aim: 'at most 1 x' }),
      },
    ]),
  ];
}

function speed(name: string, ours: Measured, other: Measured, who: string): BenchmarkRow[] {
  const times = ({ p50, p99 }: Measured) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`;
  return [
    {
      what: `requests per second, ${name}`,
      measured: ours.perSecond.toFixed(0),
      against: `${who} ${other.perSecond.toFixed(0)}`,
      ratio: `${(ours.perSecond / other.perSecond).toFixed(2)} x`,
    },
    {
      what: `p50 / p99, ${name}`,
      measured: times(ours),
      against: `${who} ${times(other)}`,
      ratio: `${(ours.p50 / other.p50).toFixed(2)} / ${(ours.p99 / other.p99).toFixed(2)} x`,
    },
  ];
}

function memory(what: string, peers: { edge: Peer; caddy: Peer }, aim: string): BenchmarkRow {
  const [ours, caddy] = [memoryMegabytesOf(peers.edge.pid), memoryMegabytesOf(peers.caddy.pid)];
  return { what, measured: `${ours} MB`, against: `Caddy ${caddy} MB`, ratio: `${(ours / caddy).toFixed(2)} x`, aim };
}
