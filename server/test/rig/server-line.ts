import { execFileSync } from 'node:child_process';
import { entering } from './docker-namespace.ts';
import type { ManagedServer } from './managed-server.ts';

/** The connection to a machine's SSH server, where packets can be dropped silently. Other ports are unaffected. */
export interface Line {
  /** Drops all packets in both directions. */
  drop(): void;
  restore(): void;
}

export function lineTo({ docker: { namespace }, sshd: { port } }: ManagedServer): Line {
  const run = (...args: string[]) => {
    const [enter, ...rest] = [...entering(namespace), 'iptables', '-w', ...args];
    execFileSync(enter!, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const rules = [
    ['INPUT', '-p', 'tcp', '--dport', String(port), '-j', 'DROP'],
    ['OUTPUT', '-p', 'tcp', '--sport', String(port), '-j', 'DROP'],
  ];
  let isDropped = false;
  return {
    drop() {
      for (const rule of rules) run('-I', ...rule);
      isDropped = true;
    },
    restore() {
      if (isDropped) for (const rule of rules) run('-D', ...rule);
      isDropped = false;
    },
  };
}
