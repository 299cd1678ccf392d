import { RouteTable } from '../server/src/drivers/edge/builtin/table.ts';
import { measureHttp2 } from './http-load.ts';
import { type Domain, domain, type Peer, startCaddy, startEdge, visit } from './edge-peers.ts';
import { cpuSecondsOf, memoryMegabytesOf } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const seconds = process.env['BENCH_QUICK'] === '1' ? 2 : 3;
const warmUpSeconds = 1;
const sizes = [0, 10, 100, 1000];
const added = 9;

type Grown = { size: number; memory: number; addMs: number; cpuPer10000: number };

/** The edge and Caddy with a growing number of domains, each with its own certificate. */
export async function edgeWithManyDomains(appPort: number): Promise<BenchmarkRow[]> {
  const domains = Array.from({ length: Math.max(...sizes) }, (_, i) => domain(`name-${i}.example.com`));
  const [ours, caddy]: [Grown[], Grown[]] = [[], []];
  for (const size of sizes) {
    const known = domains.slice(0, size);
    ours.push(await grown(await filledEdge(appPort, known), known));
    caddy.push(await grown(await startCaddy(appPort, known), known));
  }
  return [...rowsOf(ours, caddy), lookUps()];
}

async function filledEdge(appPort: number, domains: Domain[]): Promise<Peer> {
  const edge = await startEdge(appPort);
  for (const each of domains) await edge.add(each);
  return edge;
}

/** Stops the peer at the end. */
async function grown(peer: Peer, domains: Domain[]): Promise<Grown> {
  try {
    return await measured(peer, domains);
  } finally {
    await peer.stop();
  }
}

async function measured(peer: Peer, domains: Domain[]): Promise<Grown> {
  for (const each of domains) await visit(peer, each);
  const memory = memoryMegabytesOf(peer.pid);
  const more = Array.from({ length: added }, (_, i) => domain(`more-${i}-${domains.length}.example.com`));
  const times = [];
  for (const each of more) {
    const began = performance.now();
    await peer.add(each);
    times.push(performance.now() - began);
    await visit(peer, each);
  }
  const addMs = times.toSorted((a, b) => a - b)[Math.floor(added / 2)]!;
  return { size: domains.length, memory, addMs, cpuPer10000: await askLast(peer, more.at(-1)!) };
}

/** CPU seconds for 10,000 requests to the domain added last. */
async function askLast(peer: Peer, { host }: Domain): Promise<number> {
  const ask = (length: number) => measureHttp2(`https://${host}/`, length, `127.0.0.1:${peer.tlsPort()}`);
  // It was just started.
  await ask(warmUpSeconds);
  const before = cpuSecondsOf(peer.pid);
  const { requests } = await ask(seconds);
  return ((cpuSecondsOf(peer.pid) - before) / requests) * 10_000;
}

function rowsOf(ours: Grown[], caddy: Grown[]): BenchmarkRow[] {
  const rows = (what: (size: number) => string, key: 'addMs' | 'memory' | 'cpuPer10000', unit: string, aim: string) =>
    ours.map((each, i): BenchmarkRow => {
      const [measured, against] = [each[key], caddy[i]![key]];
      const shown = (value: number) => `${value.toFixed(key === 'cpuPer10000' ? 2 : 0)}${unit}`;
      const ratio = `${(measured / against).toFixed(2)} x`;
      return { what: what(each.size), measured: shown(measured), against: `Caddy ${shown(against)}`, ratio, aim };
    });
  return [
    ...rows((size) => `a name and its certificate added to ${size}`, 'addMs', ' ms', 'at most 1 x').slice(1),
    ...rows((size) => `CPU seconds for 10,000 requests (HTTP/2) with ${size} names`, 'cpuPer10000', '', '').slice(1),
    ...rows((size) => `memory with ${size} certificates, each used once`, 'memory', ' MB', ''),
  ];
}

/** Route lookups among a thousand routes and among ten. */
function lookUps(): BenchmarkRow {
  const [many, few] = [nanosecondsOf(1000), nanosecondsOf(10)];
  return {
    what: 'looking up one of 1000 routes',
    measured: `${many.toFixed(0)} ns`,
    against: `one of 10 ${few.toFixed(0)} ns`,
    ratio: `${(many / few).toFixed(2)} x`,
    aim: 'at most 3 x',
  };
}

function nanosecondsOf(size: number): number {
  const hosts = Array.from({ length: size }, (_, i) => `name-${i}.example.com`);
  const target = { type: 'upstream', host: '127.0.0.1', port: 1 } as const;
  const table = new RouteTable(
    hosts.map((host) => ({ key: host, fence: 1, routes: [{ host, path: '/', deploymentId: host, target }] })),
  );
  const count = 1_000_000;
  let found = 0;
  const run = () => {
    const began = performance.now();
    for (let i = 0; i < count; i++) if (table.find(hosts[i % size]!, '/some/path')) found++;
    return ((performance.now() - began) / count) * 1e6;
  };
  const best = Math.min(...Array.from({ length: 5 }, run));
  if (found !== 5 * count) throw new Error('a route was not found');
  return best;
}
