import { type EngineConnect } from '../../src/drivers/runtime/docker/engine/client.ts';
import { engineOverSsh } from '../../src/drivers/runtime/docker/engine/over-ssh.ts';
import { SshPool } from '../../src/drivers/ssh/pool.ts';
import { newSshKey } from '../../src/lib/ssh-key.ts';
import { startSshd } from './sshd.ts';

export interface EngineDoor {
  connect: EngineConnect;
  /** Cuts all connections; the next call opens a new one. */
  cut(): void;
  close(): Promise<void>;
}

/** A connection to an engine (`unix:///...`) through a real SSH server. */
export async function engineDoor(address: string): Promise<EngineDoor> {
  const sshd = await startSshd();
  const { privateKey, publicKey } = newSshKey('door');
  sshd.allow(publicKey);
  const pool = new SshPool();
  const target = { host: '127.0.0.1', port: sshd.port, user: sshd.user, privateKey, reach: 'private' } as const;
  return {
    connect: engineOverSsh((task, options) => pool.use('engine', target, task, options), new URL(address).pathname),
    cut: () => sshd.cut(),
    async close() {
      pool.close();
      await sshd.stop();
    },
  };
}
