/** Tries until it neither throws nor gives something falsy; says what it waited for when the time is over. */
export async function until<T>(what: string, attempt: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  const end = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const result = await attempt();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited ${withinMs} ms in vain until ${what}`, { cause: last });
}
