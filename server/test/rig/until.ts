/** Retries until the result is truthy and nothing throws; names what it waited for after the timeout. */
export async function until<T>(
  what: string,
  attempt: () => T | Promise<T>,
  withinMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const end = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const result = await attempt();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`waited ${withinMs} ms in vain until ${what}`, { cause: last });
}
