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
  /** As a tag of the language's image would say it: `22`, `3.12`, `1.24.1`. Null when the source does not say. */
  languageVersion: string | null;
  packageManager: string | null;
  /** Where the source asks for one: `9.5.0`, `4`. */
  packageManagerVersion: string | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** What the start command comes to in the end, where it is a script that is a single program. */
  startProgram: string | null;
  /** To be run once before a release takes over: migrations, for example. */
  releaseCommand: string | null;
  /** Where the built site is, for what needs no process. */
  outputDirectory: string | null;
  /** What to answer for unknown paths; null for a plain site. */
  fallback: string | null;
  port: number | null;
  /** Path of a Dockerfile, if there is one. */
  dockerfile: string | null;
  /** Path of a compose file, if there is one. */
  compose: string | null;
  services: { name: string }[];
  /** Apps of a monorepo. */
  apps: { name: string; rootDirectory: string; framework: string | null }[];
  /** Folder of the workspace that the app is a member of (`''` is the root); null when it stands alone. */
  workspaceDirectory: string | null;
  /** All that the install command reads, from the workspace's folder or else the app's; folders with a trailing slash.
   * Empty when it needs the whole source. */
  installFiles: string[];
  /** Languages that the commands need besides the app's own: `javascript` for the assets of a PHP app. */
  otherLanguages: string[];
  /** Packages of Debian that it needs to run, besides those of its language: `libpq5` for a driver of PostgreSQL. */
  systemPackages: string[];
  /** Packages of Debian that the commands need which install and build it: a compiler for what is compiled on the way. */
  buildPackages: string[];
  /** Variables that the code seems to need (.env.example). */
  variables: { key: string; example: string | null }[];
  /** Folders that it is likely to need a volume for, and why. */
  volumes: { name: string; path: string; reason: string }[];
  /** Reasons, one sentence for each conclusion. */
  reasons: string[];
}

/** Of a source that nothing is known about. */
export const nothingDetected: Detection = {
  framework: null,
  language: null,
  languageVersion: null,
  packageManager: null,
  packageManagerVersion: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  startProgram: null,
  releaseCommand: null,
  outputDirectory: null,
  fallback: null,
  port: null,
  dockerfile: null,
  compose: null,
  services: [],
  apps: [],
  workspaceDirectory: null,
  installFiles: [],
  otherLanguages: [],
  systemPackages: [],
  buildPackages: [],
  variables: [],
  volumes: [],
  reasons: [],
};

/** What a provider or a fact contributes; what it leaves out it knows nothing about. */
export type DetectFinding = Partial<Detection> & {
  /** Makes a command that the source declares (Procfile) work here; null when it cannot. Such commands rely on the
   * app's own tools being on the PATH, as they are where these files come from. */
  adapt?: (command: string) => string | null;
};

/** The root of a monorepo, as a member of it sees it. */
export interface Workspace {
  tree: SourceTree;
  /** Path of the root in the source. */
  folder: string;
  /** Folders of its members; looked for once, however many of them ask. */
  members: () => Promise<string[]>;
}

/** One language or kind of app. The first provider that knows how to start or serve the tree answers. */
export interface Provider {
  name: string;
  /** The file that it goes by first of all: said when nobody recognized anything. */
  looksFor: string;
  /** Whether what it goes by is often a part of something else, so that it only answers where nobody knows a framework. */
  isWeak?: boolean;
  /** `workspace` is there when the tree is a member of one: lock files and tools are often at its root. */
  detect(tree: SourceTree, workspace?: Workspace): Promise<DetectFinding | undefined>;
}
