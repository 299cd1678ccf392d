/** Why a file was not read, as a message for the user. */
export class FileProblem extends Error {
  override name = 'FileProblem';
}

/** Type and size of a file. */
export interface FileKind {
  kind: 'file' | 'folder' | 'other';
  size: number;
}

/** Read-only access to files of a machine. Undefined if missing; a `FileProblem` if not accessible. */
export interface ReadOnlyFiles {
  /** Resolves all symlinks. */
  realPath(path: string): Promise<string | undefined>;
  /** Describes the path itself: a symlink is `other`. */
  look(path: string): Promise<FileKind | undefined>;
  /** Reads the whole file up to `mostBytes`; a `FileProblem` for more. */
  read(path: string, mostBytes: number): Promise<Buffer | undefined>;
  /** Lists names in a folder, up to a limit, folders with a trailing slash. */
  list(path: string): Promise<string[]>;
}

export const mostNames = 4000;
export const fileTooLarge = (mostBytes: number): FileProblem =>
  new FileProblem(`is larger than ${Math.round(mostBytes / 1024)} KB`);
export const fileNotReadable = (): FileProblem => new FileProblem('cannot be read by the user of this server');
