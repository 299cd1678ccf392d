const mostTries = 5;

/** Repeats work that the database has undone because it and another transaction waited for each other. A migration
 * locks whole tables in its own order, while other replicas read and write. */
export async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || tries === mostTries) throw error;
    }
}
