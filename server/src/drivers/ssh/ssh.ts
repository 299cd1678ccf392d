import type { Duplex } from 'node:stream';
import type { SFTPWrapper } from 'ssh2';
import type { OutboundReach } from '../../lib/outbound.ts';

/** A server and its credentials. */
export interface SshTarget {
  host: string;
  port: number;
  user: string;
  password?: string;
  privateKey?: string;
  passphrase?: string;
  /** Pinned host key, as `ssh-ed25519 AAAA...`. Undefined: accept any. */
  hostKey?: string;
  reach: OutboundReach;
}

/** `refused`: a forbidden address. `bad_key`: the private key or its passphrase cannot be read. */
export type SshErrorCode =
  | 'unreachable'
  | 'not_found'
  | 'refused'
  | 'timeout'
  | 'auth_failed'
  | 'bad_key'
  | 'host_key_changed'
  | 'lost';

/** Why a server was not reached, as a message for the user. */
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
  /** Called when the command itself has exited. Leftover processes may still hold its output, and with it the call. */
  onExit?: (exit: SshExit) => void;
  signal: AbortSignal;
  /** Standard input; none if undefined. */
  input?: NodeJS.ReadableStream;
}

/** A connection to a server, with concurrent channels. */
export interface SshConnection {
  /** The presented host key, for pinning. */
  readonly hostKey: string;
  /** Aborted when the connection is lost or closed. */
  readonly gone: AbortSignal;
  /** Runs a program with exactly these arguments. An abort also signals the remote process, which mostly works:
   * OpenSSH delivers no signals to root's. Callers that must be sure look for leftovers (`drivers/host`). */
  exec(argv: string[], options: SshExecOptions): Promise<SshExit>;
  /** Opens a stream to a socket of that server. */
  openSocket(path: string): Promise<Duplex>;
  /** Opens a stream to a port, as that server reaches it. */
  openPort(host: string, port: number): Promise<Duplex>;
  sftp(): Promise<SFTPWrapper>;
  close(): void;
}
