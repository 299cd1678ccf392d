/** Why a file was not read, in a sentence for a person. */
export class FileProblem extends Error {
  override name = 'FileProblem';
}

/** What a name leads to. */
export interface FileKind {
  kind: 'file' | 'folder' | 'other';
  size: number;
}

/** Files of a machine, to look at and never to change. Nothing there is undefined; what we may not look at is a
 * `FileProblem`. */
export interface ReadOnlyFiles {
  /** Where a path leads to when all links are followed. */
  realPath(path: string): Promise<string | undefined>;
  /** Of the path itself: a link is `other`. */
  look(path: string): Promise<FileKind | undefined>;
  /** The whole file, up to `mostBytes`; a `FileProblem` for more. */
  read(path: string, mostBytes: number): Promise<Buffer | undefined>;
  /** Names in a folder, a bounded number of them, folders with a trailing slash. */
  list(path: string): Promise<string[]>;
}

export const mostNames = 4000;
export const tooLarge = (mostBytes: number): FileProblem =>
  new FileProblem(`is larger than ${Math.round(mostBytes / 1024)} KB`);
export const notAllowed = (): FileProblem => new FileProblem('cannot be read by the user of this server');
