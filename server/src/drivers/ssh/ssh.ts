import type { Duplex } from 'node:stream';
import type { SFTPWrapper } from 'ssh2';
import type { Reach } from '../../lib/outbound.ts';

/** Where a machine is and how we sign in to it. */
export interface SshTarget {
  host: string;
  port: number;
  user: string;
  password?: string;
  privateKey?: string;
  passphrase?: string;
  /** What it showed when we first came, as `ssh-ed25519 AAAA...`. Undefined: whatever it shows now. */
  hostKey?: string;
  reach: Reach;
}

/** `refused`: an address that is not connected to. `bad_key`: the private key or its passphrase cannot be read. */
export type SshErrorCode =
  | 'unreachable'
  | 'not_found'
  | 'refused'
  | 'timeout'
  | 'auth_failed'
  | 'bad_key'
  | 'host_key_changed'
  | 'lost';

/** Why a machine was not reached, in a sentence for a person. */
export class SshError extends Error {
  override name = 'SshError';
  readonly code: SshErrorCode;

  constructor(code: SshErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface SshExit {
  code: number | null;
  signal: string | null;
}

export interface SshExecOptions {
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** Told when the command itself has ended. What it left behind may still hold its output, and with it the call. */
  onExit?: (exit: SshExit) => void;
  signal: AbortSignal;
  /** What it reads; nothing if undefined. */
  input?: NodeJS.ReadableStream;
}

/** A connection to a machine. Several things may go on in it at once. */
export interface SshConnection {
  /** What the machine showed, for pinning it. */
  readonly hostKey: string;
  /** Aborted when the connection is lost or closed. */
  readonly gone: AbortSignal;
  /** Runs a program with exactly these arguments. When the signal ends it, the machine is asked to end it too, and mostly
   * does: OpenSSH ends nothing of root's. Who has to be sure looks for what is left (`drivers/host`). */
  exec(argv: string[], options: SshExecOptions): Promise<SshExit>;
  /** A stream to a socket of that machine. */
  openSocket(path: string): Promise<Duplex>;
  /** A stream to a port, as that machine reaches it. */
  openPort(host: string, port: number): Promise<Duplex>;
  sftp(): Promise<SFTPWrapper>;
  close(): void;
}
