import type { Client as PgClient, ClientConfig, QueryConfig, QueryResult } from 'pg';
import { mayChangeAccess } from './access-changes.ts';
import { againAfterDeadlock } from './deadlock.ts';
import { statementNames } from './statement-names.ts';

const isEnd = /^(?:commit|rollback)\b/i;
type Run = (query: string | QueryConfig, ...more: unknown[]) => Promise<QueryResult>;

/** Names prepared statements, repeats those outside a transaction after a deadlock, and calls `onChange` after each one
 * that may have changed an access table. */
export function watchedClient(Client: typeof PgClient, onChange: () => void): typeof PgClient {
  class WatchedClient extends Client {
    #hasChanged = false;
    #isInTransaction = false;

    constructor(config?: string | ClientConfig) {
      super(config);
      const run = super.query.bind(this) as unknown as Run;
      this.query = ((query: string | QueryConfig, ...more: unknown[]) =>
        typeof query === 'string' && more.length < 2
          ? this.#run(run, query, more[0] as unknown[])
          : run(query, ...more)) as typeof this.query;
    }

    #run(run: Run, text: string, values: unknown[] = []): Promise<QueryResult> {
      const name = statementNames.get(text);
      const once = () => (name === undefined ? run(text, values) : run({ name, text, values }));
      if (/^(?:begin|start)\b/i.test(text)) this.#isInTransaction = true;
      const result = this.#isInTransaction ? once() : againAfterDeadlock(once);
      if (isEnd.test(text)) this.#isInTransaction = false;
      this.#hasChanged ||= mayChangeAccess(text);
      if (!this.#hasChanged) return result;
      // Also after an error: a connection that breaks during a commit leaves its outcome unknown.
      return result.finally(() => {
        if (isEnd.test(text)) this.#hasChanged = false;
        onChange();
      });
    }
  }
  return WatchedClient;
}
