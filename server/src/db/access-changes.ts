/** Tables that decide who a caller is and what they may do. */
export const accessTables = ['users', 'sessions', 'tokens', 'members', 'organizations', 'instance'] as const;

const reads = /^\s*(?:select|pragma|begin|start|commit|rollback|savepoint|set|show|listen)\b/i;
const writesElsewhere = new RegExp(
  `^\\s*(?:insert into|update|delete from) "(?!(?:${accessTables.join('|')})")\\w+"`,
  'i',
);

/** Whether a statement may change anything. A statement of an unknown form counts as such, here and below. */
export const mayChange = (sql: string): boolean => !reads.test(sql);

/** Whether a statement may change an access table. */
export const mayChangeAccess = (sql: string): boolean => mayChange(sql) && !writesElsewhere.test(sql);

/**
 * Returns a number that differs after each committed change of the access tables, by this process or another one, so
 * that what was read from them may be kept until it differs. Undefined while changes of others may be missed: then
 * nothing may be kept.
 */
export type AccessVersion = () => number | undefined;

/**
 * Returns a number that differs after each committed change of the database, so that what was read may be kept until
 * it differs. Undefined on PostgreSQL, where changes by other replicas are noticed too late for that.
 */
export type DataVersion = () => number | undefined;
