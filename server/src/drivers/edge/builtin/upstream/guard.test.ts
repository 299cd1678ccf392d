import type { ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../../../test/rig/children.ts';
import { ask, builtinEdges, portOf, project } from '../../../../../test/rig/edge.ts';
import { appPorts } from '../../../../../test/rig/ports.ts';
import { until } from '../../../../../test/rig/until.ts';
import { identifyChild } from '../../../host/processes.ts';
import type { ListenerOwner } from '../../../host/listeners.ts';

const [victimUser, attackerUser] = [61_010, 61_011];

/** Answers with its name, keeps trying to bind the port, and logs the bytes it receives. */
const program = (name: string, port: number, log: string) => `
  const { createServer } = require('node:net');
  const { appendFileSync } = require('node:fs');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      appendFileSync(${JSON.stringify(log)}, bytes);
      socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: ${name.length}\\r\\nConnection: close\\r\\n\\r\\n${name}');
    });
  });
  server.on('error', () => setImmediate(() => server.listen(${port}, '127.0.0.1')));
  server.listen(${port}, '127.0.0.1');`;

function start(text: string, uid: number, marker = ''): ChildProcess {
  const options = { uid, gid: uid, env: { MOORING_PROCESS: marker }, detached: true, stdio: 'ignore' } as const;
  const child = spawnRecorded(process.execPath, ['-e', text], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe.runIf(process.getuid?.() === 0)('a port that another app takes while the owner restarts', () => {
  const { ensured } = builtinEdges();
  const newLog = () => {
    const folder = newFolder('log');
    const log = join(folder, 'received');
    writeFileSync(log, '');
    chmodSync(folder, 0o711);
    chmodSync(log, 0o666);
    return log;
  };

  it.each(['users', 'processes'] as const)(
    'receives no byte of a request: apps identified by their %s',
    async (known) => {
      const dataDir = newFolder('edge');
      const edge = await ensured({ dataDir });
      const port = appPorts();
      const [received, stolen] = [newLog(), newLog()];
      const stateFile = join(newFolder('state'), 'state.json');
      const listener: ListenerOwner = known === 'users' ? { uid: victimUser } : { stateFile };
      const startVictim = () => {
        const child = start(program('victim', port, received), victimUser, 'of-the-victim');
        const app = identifyChild(child.pid!);
        const state = { app, marker: 'MOORING_PROCESS=of-the-victim', supervisor: { startTime: app.startTime } };
        writeFileSync(stateFile, JSON.stringify(state));
        return child;
      };
      let victim = startVictim();
      await edge.point(project('victim.localhost', 'dep_1', { type: 'upstream', host: '127.0.0.1', port, listener }));
      const visit = (more = {}) =>
        ask(portOf(edge), 'victim.localhost', '/', { headers: { cookie: 'session=secret', ...more } });
      // An upgrade opens a connection of its own.
      const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
      await until('the victim answers', async () => (await visit()).text === 'victim');
      const attacker = start(program('attacker', port, stolen), known === 'users' ? attackerUser : victimUser);
      const over = new AbortController();
      let answers = 0;
      const visitors = [{}, {}, {}, upgrade].map(async (headers) => {
        for (; !over.signal.aborted; answers++) expect((await visit(headers)).text).not.toContain('attacker');
      });
      for (let round = 0; round < 3; round++) {
        victim.kill('SIGKILL');
        await exited(victim);
        await sleep(150);
        victim = startVictim();
        await sleep(150);
      }
      const refused = await visit();
      over.abort();
      await Promise.all(visitors);
      expect(refused.status).toBe(502);
      expect(readFileSync(join(dataDir, 'edge.log'), 'utf8')).toContain(`dep_1 gets no requests: port ${port} is used`);
      attacker.kill('SIGKILL');
      await until('the victim is back', async () => (await visit()).text === 'victim');
      expect(readFileSync(stolen, 'utf8')).toBe('');
      expect(readFileSync(received, 'utf8')).toContain('session=secret');
      expect(answers).toBeGreaterThan(0);
    },
  );
});
