import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { builtinEdges, ensureEdge, portOf, project, startTestApp } from '../../../../test/rig/edge.ts';
import { edgeContract } from '../contract/contract.ts';

edgeContract('builtin', async () => {
  const edge = await ensureEdge();
  return { edge, close: () => edge.close() };
});

describe('memory', () => {
  const { ensured } = builtinEdges();

  it('streams a large upload without buffering it', async () => {
    const edge = await ensured();
    let read = 0;
    const slow = await startTestApp((req, res) => {
      // Reads slower than the client sends, so that buffering in the edge shows up in its memory.
      req.on('data', (chunk: Buffer) => {
        read += chunk.length;
        req.pause();
        setTimeout(() => req.resume(), 1);
      });
      req.on('end', () => res.end(String(read)));
    });
    await edge.point(project('a.localhost', 'dep_1', slow.target));
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${edge.process}/status`, 'utf8'))![1]) / 1000;
    const before = memory();
    let most = before;
    const call = request({ host: '127.0.0.1', port: portOf(edge), method: 'POST', headers: { host: 'a.localhost' } });
    const done = new Promise<string>((resolve, reject) => {
      call.once('error', reject);
      call.once('response', (res) => res.setEncoding('utf8').once('data', resolve));
    });
    const chunk = Buffer.alloc(500_000);
    for (let i = 0; i < 100; i++) {
      if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve));
      most = Math.max(most, memory());
    }
    call.end();
    expect(await done).toBe('50000000');
    expect(most - before).toBeLessThan(30);
    await slow.close();
  });
});
