const magic = Buffer.from('SQLite format 3\0');
export const magicBytes = magic.length;

/** Whether a file with this beginning is a SQLite database. */
export const isSqlite = (start: Buffer): boolean => start.subarray(0, magicBytes).equals(magic);

/** Files beside a database that belong to it. */
export const sqliteCompanions = ['-wal', '-journal', '-shm'];

/** Whether it is the log or journal of one of these databases. */
export const isSqliteCompanion = (path: string, databases: ReadonlySet<string>): boolean =>
  databases.size > 0 &&
  sqliteCompanions.some((each) => path.endsWith(each) && databases.has(path.slice(0, -each.length)));
