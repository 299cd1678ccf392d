import { lazyRouteComponent } from '@tanstack/react-router';

const retryMs = 2000;

/** A page that loads on demand. While the service is unreachable, the load is retried: the router would reload the
 * tab, which leaves the browser's error page. A chunk that an update has replaced still triggers that reload. */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      await serviceAnswers();
      return await load();
    }
  }, name);

async function serviceAnswers(): Promise<void> {
  while (!(await fetch('/api/health').catch(() => undefined))?.ok)
    await new Promise((next) => setTimeout(next, retryMs));
}
