import type { Readable } from 'node:stream';
import type { SshConnection } from '../ssh/ssh.ts';
import type { Reach } from '../../lib/outbound.ts';

/** What went wrong with a target, as a word for programs. */
export type StorageCode =
  | 'unreachable'
  | 'auth_failed'
  | 'permission_denied'
  | 'not_found'
  | 'no_space'
  | 'timeout'
  | 'misconfigured'
  | 'corrupted';

/** Why a target did not do what it was asked to, in a sentence that a person can act on. It holds no secret. */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly code: StorageCode;

  constructor(code: StorageCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface StoredObject {
  key: string;
  bytes: number;
  modifiedAt: number | null;
}

export interface StorageCallOptions {
  /** Ends the call; what it has begun is undone. */
  signal: AbortSignal;
}

/** `home` is the folder that the target begins at, with a slash at its end or empty: what is temporary may be there. */
export interface HomeOptions extends StorageCallOptions {
  home?: string;
}

/** What a sweep has taken away, and what kept it from more. */
export interface Swept {
  removed: string[];
  problems: string[];
}

/** A place for objects. Keys are paths without a leading slash, and mean nothing to a shell or a file system. No key is
 * another one's folder (`a` and `a/b`), because some targets are file systems. */
export interface Storage {
  /** Stores what the stream gives, whatever its length, in bounded memory. The object appears whole or not at all, and an
   * older one of that key stays until then. What has been stored is read back and compared before this resolves. */
  put(key: string, body: Readable, options: HomeOptions): Promise<{ bytes: number; sha256: string }>;
  /** `from` and `to` count bytes; `to` is the last one. An object that is not there is `not_found`. */
  get(key: string, options: StorageCallOptions & { range?: { from: number; to?: number } }): Promise<Readable>;
  /** In the order of their keys. */
  list(prefix: string, options: StorageCallOptions): AsyncIterable<StoredObject>;
  /** What is not there is deleted already. */
  delete(key: string, options: StorageCallOptions): Promise<void>;
  /** Takes away what puts have left that were killed, below `home`: by its name it is ours, and it has not changed for
   * `olderThanMs`, which is longer than any put takes. It looks at a bounded number of names. What fails is told, not
   * thrown. */
  sweep(options: HomeOptions & { olderThanMs?: number }): Promise<Swept>;
  /** The same with keys from the top of its machine, for a path prefix that begins with a slash; where there is such a thing. */
  fromTop?(): Storage;
  close(): Promise<void>;
}

/** A machine that a target is on: reached over SSH, or this one. */
export type StorageServer =
  | { name: string; use<T>(task: (connection: SshConnection) => Promise<T>, options: StorageCallOptions): Promise<T> }
  | { name: string; folder: string };

/** What a driver gets besides what was configured. */
export interface StorageContext {
  reach: Reach;
  /** Where local targets may be; undefined when they may be nowhere. */
  localRoot: string | undefined;
  /** What the machine of an SFTP target showed before, and who remembers what it shows now. */
  hostKey: string | undefined;
  onHostKey: (hostKey: string) => Promise<void>;
  /** Undefined for a server that is not there any more. */
  serverOf: (serverId: string) => Promise<StorageServer | undefined>;
}

/** What was configured, by the names of the fields. */
export type StorageValues = Record<string, string | number | undefined>;

export interface StorageField {
  name: string;
  label: string;
  help: string;
  type: 'text' | 'number' | 'password' | 'multiline' | 'server';
  /** Sealed when it is stored, and never shown again. */
  isSecret: boolean;
  isRequired: boolean;
  /** Part of the address that stored secrets belong to: when it changes, they must be sent again. */
  isAddress?: boolean;
  /** What is meant when nothing is configured. */
  usual?: number;
  maxLength: number;
}

/** One kind of target: everything about it is in its own file. */
export interface StorageKind {
  /** As the interface has it: `s3_compatible`. */
  kind: string;
  label: string;
  help: string;
  fields: StorageField[];
  /** Fields of which at least one is needed. */
  oneOf?: string[][];
  /** What is wrong with values that are all there, with the field that is to blame; looks only, dials nobody. */
  check(values: StorageValues, context: Pick<StorageContext, 'localRoot'>): Promise<Complaint | undefined>;
  open(values: StorageValues, context: StorageContext): Promise<Storage>;
}

export interface Complaint {
  field: string;
  message: string;
}
