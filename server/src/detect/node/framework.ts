import type { NodeApp } from './app.ts';

/** A folder of files that needs no process. */
export interface SiteShape {
  output: string;
  /** What is answered for unknown paths, where the pages are made in the browser. */
  fallback?: string;
  note?: string;
}

/** A process. */
export interface ServerShape {
  /** How it is started when no script says so: a tool's command, or `node <file>`. Null when it cannot be; left out when
   * the app's own files say. */
  start?: string | null;
  port: number;
  note?: string;
}

export type AppShape = SiteShape | ServerShape;

/** One row of the tables. */
export interface Framework {
  id: string;
  name: string;
  /** Recognized by any of these dependencies. */
  packages: string[];
  /** Only by what is installed to run: a server that tests use is not what is deployed. */
  runtimeOnly?: boolean;
  /** The tool's own command, for a package without a build script. */
  build?: string;
  buildScripts?: string[];
  startScripts?: string[];
  /** What comes out; undefined when it is there for something else. */
  shape: AppShape | ((app: NodeApp) => Promise<AppShape | undefined>);
}

export const isSiteShape = (shape: AppShape): shape is SiteShape => 'output' in shape;

/** A site whose pages are made in the browser. */
export const spa = (output: string): SiteShape => ({ output, fallback: 'index.html' });
