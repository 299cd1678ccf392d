import type { NodeApp } from './app.ts';

/** A static folder without a process. */
export interface SiteShape {
  output: string;
  /** File for unknown paths, for client-side routing. */
  fallback?: string;
  note?: string;
}

export interface ServerShape {
  /**
   * Start command without a script: a tool's command, or `node <file>`. Null if it cannot be started; omitted if the
   * app's own files decide.
   */
  start?: string | null;
  /** Package to add before the build: `srvx@1`. */
  add?: string;
  port: number;
  note?: string;
}

export type AppShape = SiteShape | ServerShape;

export interface Framework {
  id: string;
  name: string;
  /** Any of these dependencies identifies it. */
  packages: string[];
  /** Only runtime dependencies count: a server for tests is not deployed. */
  runtimeOnly?: boolean;
  /** Default command for a package without a build script. */
  build?: string;
  buildScripts?: string[];
  startScripts?: string[];
  /** Output; undefined if the framework is used for something else. */
  shape: AppShape | ((app: NodeApp) => Promise<AppShape | undefined>);
}

export const isSiteShape = (shape: AppShape): shape is SiteShape => 'output' in shape;

/** A site with client-side routing. */
export const spa = (output: string): SiteShape => ({ output, fallback: 'index.html' });
