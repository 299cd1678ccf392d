import { newSshKey } from '../../src/lib/ssh-key.ts';
import { type Docker, startDocker } from './docker.ts';
import { type Sshd, startSshd } from './sshd.ts';

/** Another machine with its own network, engine and SSH server. Apps there are reachable at `address`. */
export interface ManagedServer {
  docker: Docker;
  sshd: Sshd;
  address: string;
  /** The body of `POST /api/servers`. */
  body: { name: string; host: string; port: number; user: string; privateKey: string };
  close(): Promise<void>;
}

/** `more` are additional arguments of its engine, `ssh` additional settings of its SSH server, `within` words in front
 * of the engine's command. */
export async function startManagedServer(
  name = 'elsewhere',
  more: string[] = [],
  ssh: { port?: number; more?: string[] } = {},
  within: string[] = [],
): Promise<ManagedServer> {
  return manageServer(name, await startDocker(more, 0, within), ssh);
}

/** Starts an SSH server beside an engine, which ends with it. */
export async function manageServer(
  name: string,
  docker: Docker,
  ssh: { port?: number; more?: string[] } = {},
): Promise<ManagedServer> {
  try {
    const engineSocket = new URL(docker.address).pathname;
    const { namespace } = docker;
    const people = [{ name: 'somebody', uid: 4711, password: 'not used here' }];
    const sshd = await startSshd({ people, engineSocket, namespace, ...ssh });
    const { privateKey, publicKey } = newSshKey(name);
    sshd.allow(publicKey);
    const { host, port, user } = sshd;
    return {
      docker,
      sshd,
      address: namespace.address,
      body: { name, host, port, user, privateKey },
      async close() {
        await sshd.stop();
        await docker.close();
      },
    };
  } catch (error) {
    await docker.close();
    throw error;
  }
}
