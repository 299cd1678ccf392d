import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busybox, makeImage } from '../../../../../test/rig/docker-images.ts';
import { type Docker, startDocker } from '../../../../../test/rig/docker.ts';
import { type EngineDoor, engineDoor } from '../../../../../test/rig/engine-over-ssh.ts';
import { has } from '../../../../../test/rig/parts.ts';
import { until } from '../../../../../test/rig/until.ts';
import { EngineClient } from '../engine/client.ts';
import { execIn } from './exec.ts';

const { signal } = new AbortController();

describe.runIf(has('docker') && has('sshd'))('programs in containers', () => {
  let docker: Docker;
  let door: EngineDoor;
  let remote: EngineClient;
  let id: string;
  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, busybox);
    door = await engineDoor(docker.address);
    remote = new EngineClient(door.connect);
    const body = { Image: busybox.name, Cmd: ['sleep', '10000'], HostConfig: { NetworkMode: 'none' } };
    const created = await docker.client.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
    id = created.Id;
    await docker.client.json({ method: 'POST', path: `/containers/${id}/start` });
  });
  afterAll(async () => {
    remote?.close();
    await door?.close();
    await docker?.close();
  });
  const engines = { local: () => docker.client, 'over SSH': () => remote };

  it.each(Object.entries(engines))('get their input to its end and return all output, %s', async (_where, engine) => {
    const chunk = randomBytes(1_000_000);
    const input = async function* () {
      for (let i = 0; i < 20; i++) yield chunk;
    };
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    for (let i = 0; i < 20; i++) sent.update(chunk);
    const onOutput = (part: Buffer) => void received.update(part);
    const outcome = await execIn(engine(), id, { args: ['cat'], input: input(), onOutput, signal });
    expect(outcome).toEqual({ exitCode: 0, stderr: '' });
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });

  it.each(Object.entries(engines))('report exit codes, errors and missing programs, %s', async (_where, engine) => {
    const failed = { args: ['sh', '-c', 'echo "$SECRET" >&2; exit 3'], env: { SECRET: 'a "b"\n$c' }, signal };
    expect(await execIn(engine(), id, failed)).toEqual({ exitCode: 3, stderr: 'a "b"\n$c\n' });
    const missing = await execIn(engine(), id, { args: ['no-such-program'], signal });
    expect([126, 127]).toContain(missing.exitCode);
  });

  it.each(Object.entries(engines))(
    'end when their input fails or the call is cancelled, %s',
    async (_where, engine) => {
      const broken = async function* () {
        yield Buffer.from('part');
        await sleep(50);
        throw new Error('the archive is damaged');
      };
      const reading = execIn(engine(), id, { args: ['cat'], input: broken(), signal });
      await expect(reading).rejects.toThrow('the archive is damaged');
      const early = async function* () {
        for (;;) yield Buffer.alloc(100_000);
      };
      const exits = await execIn(engine(), id, { args: ['sh', '-c', 'exit 4'], input: early(), signal });
      expect(exits.exitCode).toBe(4);
      const cancel = new AbortController();
      const waiting = execIn(engine(), id, { args: ['sleep', '60'], signal: cancel.signal });
      setTimeout(() => cancel.abort(new Error('cancelled')), 100);
      await expect(waiting).rejects.toThrow('cancelled');
    },
  );

  it('fail if the connection is lost, even if the program has ended well', async () => {
    let cut: Promise<void> | undefined;
    const cutOnce = async () => {
      // The rest is in buffers by now, and the program has nothing left to write.
      await sleep(500);
      door.cut();
      await until('there is a new connection', () => remote.ping().then(() => true));
    };
    const command = { args: ['head', '-c', '4250000', '/dev/zero'], onOutput: () => (cut ??= cutOnce()), signal };
    await expect(execIn(remote, id, command)).rejects.toThrow('the connection was lost');
  });
});
