/** A file tree to look at: a folder on disk, an archive, a repository at a host. Reading a file that is not there gives undefined. */
export interface SourceTree {
  /** Names in a folder (`''` is the root), folders with a trailing slash; empty when there is none. */
  list(folder: string): Promise<string[]>;
  /** Text of a file, at most 1 MB. */
  read(path: string): Promise<string | undefined>;
}

/** What was found, and how to build and start it. */
export interface Detection {
  framework: string | null;
  language: string | null;
  packageManager: string | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** Where the built site is, for what needs no process. */
  outputDirectory: string | null;
  /** What to answer for paths without a file; null for a plain site. */
  fallback: string | null;
  port: number | null;
  /** Path of a Dockerfile, if there is one. */
  dockerfile: string | null;
  /** Path of a compose file, if there is one. */
  compose: string | null;
  services: { name: string }[];
  /** Apps of a monorepo. */
  apps: { name: string; rootDirectory: string; framework: string | null }[];
  /** Variables that the code seems to need (.env.example). */
  variables: { key: string; example: string | null }[];
  /** Why: one sentence for each conclusion. */
  reasons: string[];
}

/** One language or kind of app. The first provider that recognizes the tree answers. */
export interface Provider {
  name: string;
  /** What it goes by, as the end of "there is no ...": said when nobody recognized anything. */
  looksFor: string;
  /** `workspace` is the root of the monorepo that the tree is a member of: lock files and tools are often there. */
  detect(tree: SourceTree, workspace?: SourceTree): Promise<Partial<Detection> | undefined>;
}
