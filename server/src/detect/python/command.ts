/** How it is started: a program of the project's environment with its arguments. */
export interface PythonStart {
  framework: string;
  name: string;
  /** The file that says so. */
  sign: string;
  command: string;
  port: number;
  /** What the command needs and the project does not ask for. */
  needs?: string;
}

// Whoever starts the app says where it listens; by itself it listens to everybody at the framework's usual port.
export const host = '${HOST:-0.0.0.0}';
export const port = (usual: number): string => `\${PORT:-${usual}}`;
