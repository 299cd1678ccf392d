import type { Readable } from 'node:stream';
import type { SshConnection } from '../ssh/ssh.ts';
import type { OutboundReach } from '../../lib/outbound.ts';

/** Machine-readable reason of a failure. */
export type StorageCode =
  | 'unreachable'
  | 'auth_failed'
  | 'permission_denied'
  | 'not_found'
  | 'no_space'
  | 'timeout'
  | 'misconfigured'
  | 'corrupted';

/** A failed storage operation, with a message that users can act on. Contains no secrets. */
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
  /** Aborts the call, which undoes what it began. */
  signal: AbortSignal;
}

/** `home` is the root folder of the destination, empty or with a trailing slash; temporary objects may be there. */
export interface HomeOptions extends StorageCallOptions {
  home?: string;
}

export interface PutOptions extends HomeOptions {
  /** Continues an unfinished upload of this key where the kind supports it. Its bytes may differ: only what is stored
   * already is not sent again. */
  resume?: boolean;
  /** Whether to leave everything for the next attempt after this error, or abort reason, instead of undoing it. */
  keeps?: (error: unknown) => boolean;
}

/** Objects that a sweep removed, and its problems. */
export interface SweepResult {
  removed: string[];
  problems: string[];
}

/** A store of objects. Keys are paths without a leading slash, with no meaning to a shell or a file system. No key is
 * another one's folder (`a` and `a/b`), because some destinations are file systems. */
export interface Storage {
  /** Stores a stream of any length in bounded memory. The object appears atomically, and an older one of that key
   * stays until then. The stored data is read back and compared before this resolves. */
  put(key: string, body: Readable, options: PutOptions): Promise<{ bytes: number; sha256: string }>;
  /** `from` and `to` are inclusive byte offsets. A missing object is `not_found`. */
  get(key: string, options: StorageCallOptions & { range?: { from: number; to?: number } }): Promise<Readable>;
  /** In key order. */
  list(prefix: string, options: StorageCallOptions): AsyncIterable<StoredObject>;
  /** Ignores a missing object. */
  delete(key: string, options: StorageCallOptions): Promise<void>;
  /** Removes leftovers of killed puts below `home`: objects with our temporary names, unchanged for `olderThanMs`,
   * which is longer than any put takes. Checks a bounded number of names. Reports problems instead of throwing. */
  sweep(options: HomeOptions & { olderThanMs?: number }): Promise<SweepResult>;
  /** Returns the same destination with keys from the root of its server, for a path prefix with a leading slash,
   * where supported. */
  fromTop?(): Storage;
  close(): Promise<void>;
}

/** Server of a destination: reached over SSH, or this machine. */
export type StorageServer =
  | { name: string; use<T>(task: (connection: SshConnection) => Promise<T>, options: StorageCallOptions): Promise<T> }
  | { name: string; folder: string };

/** Context of a driver besides its configuration. */
export interface StorageContext {
  reach: OutboundReach;
  /** Folder that may contain local destinations; undefined if none may. */
  localRoot: string | undefined;
  /** Pinned host key of an SFTP destination, and the callback that stores a new one. */
  hostKey: string | undefined;
  onHostKey: (hostKey: string) => Promise<void>;
  /** Returns undefined for a removed server. */
  serverOf: (serverId: string) => Promise<StorageServer | undefined>;
}

/** Configured values by field name. */
export type StorageValues = Record<string, string | number | undefined>;

export interface StorageField {
  name: string;
  label: string;
  help: string;
  type: 'text' | 'number' | 'password' | 'multiline' | 'server';
  /** Encrypted at rest, and never shown again. */
  isSecret: boolean;
  isRequired: boolean;
  /** Part of the address that stored secrets belong to: when it changes, they must be entered again. */
  isAddress?: boolean;
  /** Default value. */
  usual?: number;
  maxLength: number;
}

/** One kind of destination, defined in its own file. */
export interface StorageKind {
  /** As in the API: `s3_compatible`. */
  kind: string;
  label: string;
  help: string;
  fields: StorageField[];
  /** Groups of fields of which at least one is required. */
  oneOf?: string[][];
  /** Validates complete values and names the invalid field; makes no connection. */
  check(values: StorageValues, context: Pick<StorageContext, 'localRoot'>): Promise<FieldComplaint | undefined>;
  open(values: StorageValues, context: StorageContext): Promise<Storage>;
}

export interface FieldComplaint {
  field: string;
  message: string;
}
