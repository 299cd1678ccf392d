/** Start command: a program of the environment with arguments. */
export interface PythonStart {
  framework: string;
  name: string;
  /** File that defines it. */
  sign: string;
  command: string;
  port: number;
  /** Package that the command needs and the project lacks. */
  needs?: string;
  /** Collects static files. */
  build?: string;
  /** Prepares the database. */
  release?: string;
  /** A problem to log with each deployment. */
  warning?: string | undefined;
  /** Debian packages that the build and the app load. */
  packages?: string[];
}

// HOST and PORT set the address; the default is all interfaces and the framework's usual port.
export const hostVariable = '${HOST:-0.0.0.0}';
export const portVariable = (usual: number): string => `\${PORT:-${usual}}`;
