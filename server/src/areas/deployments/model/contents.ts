/** A folder that containers write to and that is kept across deployments. */
export interface WritableFolder {
  projectId: string;
  environment: string;
  /** Path in the source. */
  path: string;
  /** Digest of the source's content at that path; null if the source has none. */
  digest: string | null;
}

/** Content of a config or a secret: a text, or a file of the source. */
export type FileContent = { content: string | Buffer } | { releaseFolder: string; path: string };

/** Ownership as declared in a compose file; null where undeclared. */
export interface FileOwner {
  uid: string | null;
  gid: string | null;
  mode: number | null;
}

/**
 * Files and folders of sources that containers mount, stored by content digest. Entries are complete and immutable.
 */
export interface Contents {
  /** Returns null if the source does not have the path. A link that leads out of the source counts as missing. */
  digestOf(releaseFolder: string, path: string): Promise<string | null>;
  /** Stores the content that `digestOf` has digested; fails if it has changed since. */
  keep(projectId: string, releaseFolder: string, path: string, digest: string): Promise<void>;
  /** Stores a config or a secret with the owner and permissions that its service declares. */
  keepFile(projectId: string, from: FileContent, owner: FileOwner): Promise<{ digest: string; path: string }>;
  /** Path to mount. Containers must not write to it. */
  path(projectId: string, digest: string): string;
  kindOf(projectId: string, digest: string): Promise<'file' | 'folder' | undefined>;
  /** Returns the writable folder to mount, with the files of the source copied over its content. */
  materialize(bind: WritableFolder): Promise<string>;
  /** Also removes leftovers of killed attempts. */
  removeUnused(projectId: string, inUse: Iterable<string>): Promise<void>;
  removeProject(projectId: string, options: { binds: boolean }): Promise<void>;
}
