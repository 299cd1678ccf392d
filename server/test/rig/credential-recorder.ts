import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { newSshKey } from '../../src/lib/ssh-key.ts';

export interface CredentialRecorder {
  port: number;
  /** Every sign-in attempt: its method, the user, and the password if one was sent. */
  attempts: { method: string; user: string; password?: string }[];
  close(): void;
}

/** An attacker's SSH server: it records every credential that it is sent and lets nobody in. */
export async function startCredentialRecorder(): Promise<CredentialRecorder> {
  const attempts: CredentialRecorder['attempts'] = [];
  const server = new ssh2.Server({ hostKeys: [newSshKey('attacker').privateKey] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => {
      const { method, username: user } = context;
      attempts.push({ method, user, ...(context.method === 'password' && { password: context.password }) });
      context.reject(['password', 'publickey']);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, attempts, close: () => server.close() };
}
