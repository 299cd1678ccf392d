import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../rig/certificate.ts';
import { newFolder } from '../rig/children.ts';
import { ask, builtinEdges, edgeProgram, newVersion, portOf, project, tlsPortOf } from '../rig/edge.ts';
import { askOn, openHttp2 } from '../rig/http2.ts';
import { until } from '../rig/until.ts';

const { driver, ensured, app } = builtinEdges();
const host = 'a.localhost';

async function secured(dataDir: string) {
  const edge = await ensured({ dataDir });
  await edge.point(project(host, 'dep_1', (await app('fine')).target));
  const { cert: chain, key } = selfSigned(host);
  await edge.useCertificate({ host, chain, key });
  return edge;
}

/** Clients that send one request each on a new connection: every response but a 200 is a failure. */
function strangers(port: number, tlsPort: number) {
  const figures = { plain: 0, tls: 0, http2: 0, failures: [] as string[] };
  const stopped = new AbortController();
  const visits = {
    plain: () => ask(port, host),
    tls: () => ask(tlsPort, host, '/', { secure: true }),
    async http2() {
      const session = await openHttp2(tlsPort, host);
      return askOn(session, '/').finally(() => session.close());
    },
  };
  const lane = async (kind: keyof typeof visits) => {
    while (!stopped.signal.aborted) {
      const wrong = await visits[kind]().then(
        ({ status, text }) => (status === 200 && text === 'fine' ? null : `${status} ${text}`),
        (error: Error) => error.message,
      );
      if (wrong === null) figures[kind]++;
      else figures.failures.push(`${kind}: ${wrong}`);
      await sleep(2);
    }
  };
  const kinds = ['plain', 'plain', 'tls', 'tls', 'http2', 'http2'] as const;
  const all = Promise.all(kinds.map(lane));
  return {
    figures,
    async more() {
      const { plain, tls, http2 } = figures;
      const come = () => figures.plain > plain + 20 && figures.tls > tls + 20 && figures.http2 > http2 + 20;
      await until('more of each kind', come, 60_000);
    },
    async stop() {
      stopped.abort();
      await all;
    },
  };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** A version that is slow to start. */
function slowVersion(): string {
  const file = join(newFolder('program'), 'edge.mjs');
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 3000));';
  writeFileSync(file, `// ${Math.random()}\n${wait}\nawait import(${JSON.stringify(edgeProgram)});\n`);
  return file;
}

function brokenVersion(text: string): string {
  const file = join(newFolder('program'), 'edge.mjs');
  writeFileSync(file, text);
  return file;
}

describe('clients on new connections', () => {
  it(
    'all get a response through ten handovers, a killed successor and two failed ones',
    { timeout: 400_000 },
    async () => {
      const dataDir = newFolder('edge');
      let edge = await secured(dataDir);
      const load = strangers(portOf(edge), tlsPortOf(edge));
      await load.more();
      for (let i = 0; i < 10; i++) {
        const old = edge.process;
        edge = await ensured({ dataDir, program: newVersion() });
        expect(edge.process).not.toBe(old);
        await load.more();
        if (i === 3) {
          const taking = driver({ dataDir, program: slowVersion() }).ensure();
          const failed = expect(taking).rejects.toThrow(/exited with SIGKILL/);
          const successor = await until('it is started', () => childrenOf(edge.process)[0]);
          await load.more();
          process.kill(successor!, 'SIGKILL');
          await failed;
        }
        if (i === 5)
          for (const text of ['process.exit(3)', 'throw new Error("broken")'])
            await expect(driver({ dataDir, program: brokenVersion(text) }).ensure()).rejects.toThrow(/exited with/);
        expect(await edge.pid()).toBe(edge.process);
        await load.more();
      }
      await load.stop();
      expect(load.figures.failures).toEqual([]);
    },
  );
});

describe('twenty handovers', () => {
  it('leak no file descriptor, and leave no listener after the last one has ended', { timeout: 300_000 }, async () => {
    const dataDir = newFolder('edge');
    let edge = await secured(dataDir);
    const [port, tlsPort] = [portOf(edge), tlsPortOf(edge)];
    const visit = async () => {
      expect((await ask(port, host)).text).toBe('fine');
      expect((await ask(tlsPort, host, '/', { secure: true })).text).toBe('fine');
    };
    const settled: number[] = [];
    for (let i = 0; i < 20; i++) {
      const old = edge.process;
      edge = await ensured({ dataDir, program: newVersion() });
      await visit();
      await until('the old one is gone', () => !isThere(old), 40_000);
      // Connections to the app end after some seconds.
      if (i === 1 || i === 19) {
        await sleep(5500);
        settled.push(descriptorsOf(edge.process));
      }
    }
    expect(settled[1]).toBeLessThanOrEqual(settled[0]!);
    await edge.stop();
    for (const each of [port, tlsPort]) {
      await expect(ask(each, host)).rejects.toThrow('ECONNREFUSED');
      const next = createServer();
      await new Promise<void>((resolve, reject) => next.once('error', reject).listen(each, '127.0.0.1', resolve));
      await new Promise((resolve) => next.close(resolve));
    }
  });
});

function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
