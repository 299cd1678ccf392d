/** Names of texts that PostgreSQL keeps prepared. */
export const statementNames = new Map<string, string>();

/** Has PostgreSQL parse and plan this text once per connection. For queries of our code only, whose number is bounded. */
export function nameStatement(text: string): void {
  if (!statementNames.has(text)) statementNames.set(text, `mooring_${statementNames.size}`);
}
