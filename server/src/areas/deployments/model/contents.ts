/** A folder that containers write to, and that lives on from one deployment to the next. */
export interface Bind {
  projectId: string;
  environment: string;
  /** In the source. */
  path: string;
  /** Of what the source has there; null for nothing. */
  digest: string | null;
}

/** What a config or a secret holds: a text, or a file of the source. */
export type FileContent = { content: string | Buffer } | { releaseFolder: string; path: string };

/** As a compose file has them; null for what nobody says. */
export interface FileOwner {
  uid: string | null;
  gid: string | null;
  mode: number | null;
}

/** Files and folders of sources that containers see, by the digest of their content: each is whole, and never changes. */
export interface Contents {
  /** Null when the source does not have it. A link that leads out of the source leads nowhere. */
  digestOf(releaseFolder: string, path: string): Promise<string | null>;
  /** Keeps what `digestOf` has seen there; fails if it is not the same any more. */
  keep(projectId: string, releaseFolder: string, path: string, digest: string): Promise<void>;
  /** Keeps a config or a secret, with the owner and the permissions that its service wants. */
  keepFile(projectId: string, from: FileContent, owner: FileOwner): Promise<{ digest: string; path: string }>;
  /** Where it is, to be mounted; containers must not write to it. */
  path(projectId: string, digest: string): string;
  kindOf(projectId: string, digest: string): Promise<'file' | 'folder' | undefined>;
  /** The folder to be mounted where containers may write, with the files of the source copied over what is there. */
  materialize(bind: Bind): Promise<string>;
  /** Also clears away what killed attempts have left. */
  removeUnused(projectId: string, inUse: Iterable<string>): Promise<void>;
  removeProject(projectId: string, options: { binds: boolean }): Promise<void>;
}
