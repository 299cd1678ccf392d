/** Files to inspect: a local folder, an archive, or a repository of a git host. Absent files read as undefined. */
export interface SourceTree {
  /** Names in a folder (`''` is the root), folders with a trailing slash; empty if it does not exist. */
  list(folder: string): Promise<string[]>;
  /** Text of a file, at most 1 MB. */
  read(path: string): Promise<string | undefined>;
}

/** Result of the detection. */
export interface Detection {
  framework: string | null;
  language: string | null;
  /** As an image tag: `22`, `3.12`, `1.24.1`. Null if the source names none. */
  languageVersion: string | null;
  /** The range that the source names, as it is written and without aliases, and the file. Null if it names none. */
  languageRequest: { said: string; range: string; from: string } | null;
  packageManager: string | null;
  /** If the source asks for one: `9.5.0`, `4`. */
  packageManagerVersion: string | null;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** The program behind a start script, if it is a single one. */
  startProgram: string | null;
  /** Runs once before a release takes over, such as migrations. */
  releaseCommand: string | null;
  /** Folder of the built site, if it needs no process. */
  outputDirectory: string | null;
  /** File for unknown paths; null for a plain site. */
  fallback: string | null;
  port: number | null;
  /** Path that a settings file of the source names for health checks. */
  healthPath: string | null;
  /** Path of a Dockerfile, if any. */
  dockerfile: string | null;
  /** Path of a compose file, if any. */
  compose: string | null;
  services: { name: string }[];
  /** Apps of a monorepo. */
  apps: { name: string; rootDirectory: string; framework: string | null }[];
  /** Folder of the app's workspace (`''` is the root); null if it has none. */
  workspaceDirectory: string | null;
  /**
   * Files that the install command reads, relative to the workspace or else the app; folders with a trailing slash.
   * Empty if it needs the whole source.
   */
  installFiles: string[];
  /** Additional languages of the commands: `javascript` for the assets of a PHP app. */
  otherLanguages: string[];
  /** Version of Node.js for the assets of an app in another language; null for the default. */
  nodeVersion: string | null;
  /** PHP extensions besides those of the image, with the release to install if it is not the newest: `redis@5.3.7`. */
  extensions: string[];
  /** Debian packages to run it: `libpq5` for a PostgreSQL driver. */
  systemPackages: string[];
  /** Debian packages to install and build it, such as a compiler. */
  buildPackages: string[];
  /** Variables that the code seems to need (.env.example). */
  variables: { key: string; example: string | null }[];
  /** Variables that a settings file of the source sets; those of the project win. */
  defaults: { key: string; value: string }[];
  /** Secrets to generate once and keep, unless one of the variables is set. */
  generated: { key: string; form: 'hex' | 'laravel'; unlessVariables: string[] }[];
  /** Folders that probably need a volume, and why. */
  volumes: { name: string; path: string; reason: string }[];
  /** A database file of the framework in the app's folder, unless one of the variables is set. */
  databaseFile: { path: string; unlessVariables: string[] } | null;
  /**
   * Problems to log with each deployment, unless one of the variables is set: data that no volume can keep, a lock
   * file that does not match, or a missing secret.
   */
  warnings: { message: string; unlessVariables: string[] }[];
  /** One sentence for each conclusion. */
  reasons: string[];
}

/** Empty result. */
export const nothingDetected: Detection = {
  framework: null,
  language: null,
  languageVersion: null,
  languageRequest: null,
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
  healthPath: null,
  dockerfile: null,
  compose: null,
  services: [],
  apps: [],
  workspaceDirectory: null,
  installFiles: [],
  otherLanguages: [],
  nodeVersion: null,
  extensions: [],
  systemPackages: [],
  buildPackages: [],
  variables: [],
  defaults: [],
  generated: [],
  volumes: [],
  databaseFile: null,
  warnings: [],
  reasons: [],
};

/** Contribution of a provider or fact; omitted fields are unknown. */
export type DetectFinding = Partial<Detection> & {
  /** Adapts a declared command (Procfile); null if impossible. Such commands expect the app's tools on the PATH. */
  adapt?: (command: string) => string | null;
};

/** Root of a monorepo, from the view of a member. */
export interface Workspace {
  tree: SourceTree;
  /** Path of the root in the source. */
  folder: string;
  /** Folders of its members; computed once. */
  members: () => Promise<string[]>;
}

/** The whole source, and the folder of the app in it. */
export interface EnclosingSource {
  tree: SourceTree;
  folder: string;
}

/** A language or kind of app. The first provider that can start or serve the tree wins. */
export interface Provider {
  name: string;
  /** Main file that it looks for, named if nothing is recognized. */
  looksFor: string;
  /** Whether its file is often part of something else, so that it only answers if no framework is known. */
  isWeak?: boolean;
  /**
   * `workspace` is set for members: lock files and tools are often at its root. `outer` is set for the app that is
   * deployed.
   */
  detect(tree: SourceTree, workspace?: Workspace, outer?: EnclosingSource): Promise<DetectFinding | undefined>;
}
