import { lazyRouteComponent } from '@tanstack/react-router';

const retryMs = 2000;

/** A page that is loaded when it is opened. While the service does not answer, it waits: the router would reload the tab
 * at once, which leaves the browser's own error page. A page that an update has replaced does get the reload. */
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
