import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarHeader } from '../../src/lib/archive/sample-archives-rig.ts';
import { ownerToken } from '../rig/app.ts';
import { begin, deploy, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Session = { sessionId: string; upload: { url: string; headers: Record<string, string> } };

describe('floods', { timeout: 240_000 }, () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
  });
  afterAll(() => service.stop());

  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]) / 1000;
  /** The peak memory of the service during the work, beyond that of before. */
  const growthWhile = async (work: () => Promise<void>): Promise<number> => {
    const before = megabytes();
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, megabytes())), 20);
    await work().finally(() => clearInterval(timer));
    return most - before;
  };
  const open = () => json<Session>(service.post('/api/projects/folder/session', {}));
  const sending = ({ upload }: Session): ClientRequest =>
    request(upload.url, { method: 'PUT', headers: { ...upload.headers, 'transfer-encoding': 'chunked' } });
  const answered = (sent: ClientRequest) =>
    new Promise<number>((resolve, reject) => {
      sent.once('response', (response) => resolve(response.resume().statusCode!)).once('error', reject);
    });
  const write = (sent: ClientRequest | ReturnType<typeof createGzip>, bytes: Buffer) =>
    sent.write(bytes) ? undefined : new Promise<void>((resolve) => void sent.once('drain', resolve));

  const endlessly = async (act: () => Promise<void> | undefined, most: number): Promise<number> => {
    for (let i = 0; i < most; i++) await act();
    return 0;
  };

  it('an upload of 290 MB is accepted, an endless one is not; memory stays constant', async () => {
    const noise = randomBytes(1_000_000);
    const growth = await growthWhile(async () => {
      const sent = sending(await open());
      const answer = answered(sent);
      const gzip = createGzip({ level: 0 });
      gzip.pipe(sent);
      await write(gzip, tarHeader({ name: 'large', size: 290_000_000 }));
      for (let i = 0; i < 290; i++) await write(gzip, noise);
      gzip.end(Buffer.alloc(512 - (290_000_000 % 512) + 1024));
      expect(await answer).toBe(200);
    });
    expect(growth).toBeLessThan(140);
    const endless = await growthWhile(async () => {
      const sent = sending(await open());
      const answer = answered(sent);
      // A response before the end is a rejection.
      const status = Promise.race([answer, endlessly(() => write(sent, noise), 400)]);
      expect(await status).toBe(413);
      sent.destroy();
    });
    expect(endless).toBeLessThan(60);
    expect(readdirSync(join(service.dataDir, 'uploads')).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('sixty slow senders delay no other client', async () => {
    const slow = await Promise.all(Array.from({ length: 60 }, async () => sending(await open()).on('error', () => {})));
    const timer = setInterval(() => slow.forEach((sent) => sent.write('x')), 100);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const times: number[] = [];
    for (let i = 0; i < 50; i++) {
      const began = performance.now();
      expect((await service.get('/api/projects')).status).toBe(200);
      times.push(performance.now() - began);
    }
    clearInterval(timer);
    for (const sent of slow) sent.destroy();
    expect(times.toSorted((a, b) => a - b)[25]).toBeLessThan(200);
    await until(
      'nothing of it is left',
      () => !readdirSync(join(service.dataDir, 'uploads')).some((name) => name.endsWith('.draft')),
    );
  });

  const follow = (id: string): Socket => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /api/deployments/${id}/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ownerToken}\r\n\r\n`,
      ),
    );
    return socket.on('error', () => {});
  };

  it('three thousand streams get the same events to the end', async () => {
    const project = await ensureProject(service, 'watched', { buildCommand: 'sleep 10; seq 1 300; sleep 1' });
    const id = await begin(service, project, folderOf({ 'index.html': 'x' }));
    const texts: string[] = [];
    const growth = await growthWhile(async () => {
      const streams: Socket[] = [];
      while (streams.length < 3000) {
        const some = Array.from({ length: 100 }, (_, i) => {
          const at = streams.length + i;
          return follow(id).on('data', (chunk) => (texts[at] = (texts[at] ?? '') + chunk.toString()));
        });
        streams.push(...some);
        await Promise.all(some.map((socket) => new Promise((resolve) => void socket.once('connect', resolve))));
      }
      const ended = () => texts.filter((text) => text?.includes('event: end')).length;
      await until('all have come to the end', () => ended() === 3000 || streams.every(({ closed }) => closed), 120_000);
      expect(ended()).toBe(3000);
      for (const socket of streams) socket.destroy();
    });
    const eventsOf = (text: string) => text.match(/^id: \d+$/gm)!.join();
    expect(new Set(texts.map(eventsOf)).size).toBe(1);
    expect(growth).toBeLessThan(400);
    expect((await service.get('/api/health')).status).toBe(200);
  });

  it('two hundred clients that request a large log without reading it use little memory', async () => {
    const lines = `node -e "for (let i = 0; i < 3000; i++) console.log(String(i).padEnd(16000, 'x'))"`;
    const project = await ensureProject(service, 'large', { buildCommand: lines });
    const { id } = await deploy(service, project, folderOf({ 'index.html': 'x' }));
    const growth = await growthWhile(async () => {
      const idle = Array.from({ length: 200 }, () => follow(id).pause());
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const response = await service.get(`/api/deployments/${id}/stream`);
      expect((await response.text()).endsWith('"status":"ready"}\n\n'), 'who reads gets all of it').toBe(true);
      for (const socket of idle) socket.destroy();
    });
    expect(growth).toBeLessThan(400);
  });

  it('the service can still deploy afterwards', async () => {
    const { error } = await deploy(service, await ensureProject(service, 'after'), nodeApp('fine'));
    expect(error).toBeNull();
  });
});
