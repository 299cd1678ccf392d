import { randomUUID } from 'node:crypto';
import type { EdgeProject, EdgeTarget } from '../edge.ts';
import type { SiteOrigin } from './bridge-protocol.ts';
import type { EdgeContainer } from './container.ts';
import { folderEntry, textEntry } from './entries.ts';
import { dataFolder, sitesFolder } from './container-paths.ts';
import type { RemoteControl } from './remote-control.ts';
import { openSite, type SiteFiles } from './site-files.ts';
import { filesFolder, originFile } from './site-layout.ts';

type Static = Extract<EdgeTarget, { type: 'static' }>;

const placeOf = (name: string): string => `${dataFolder}/${sitesFolder}/${name}/${filesFolder}`;
const placePattern = new RegExp(`^${placeOf('([\\w-]+)')}$`);
export const siteNameAt = (folder: string): string | undefined => placePattern.exec(folder)?.[1];

type Container = Pick<EdgeContainer, 'put'>;
type Control = Pick<RemoteControl, 'ask'>;

/** Local folders that an edge on another server serves: sent once, and mapped back to local paths here. The server is
 * not trusted: no local folder is opened because it names it. */
export class ServerSites {
  readonly #container: Container;
  readonly #control: Control;
  /** Origins of sites that were sent from here. */
  readonly #origins = new Map<string, SiteOrigin>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(container: Container, control: Control) {
    [this.#container, this.#control] = [container, control];
  }

  /** Sends the sites of a project. Returns the project with paths on the server. */
  send(project: EdgeProject): Promise<EdgeProject> {
    return withTargets(project, async (target) => {
      // Already a path on the server, so nothing to send.
      if (siteNameAt(target.folder) !== undefined) return target;
      const name = await this.#bring({ folder: target.folder, within: target.within ?? null });
      return { ...target, folder: placeOf(name), ...(target.within && { within: placeOf(name) }) };
    });
  }

  /** Returns the project with its local paths; a site that others have sent keeps its path on the server. */
  recall(project: EdgeProject): Promise<EdgeProject> {
    return withTargets(project, async (target) => {
      const name = siteNameAt(target.folder) ?? 'unknown';
      const origin = this.#origins.get(name) ?? { folder: placeOf(name), within: target.within && placeOf(name) };
      return { ...target, folder: origin.folder, ...(origin.within && { within: origin.within }) };
    });
  }

  async #bring(origin: SiteOrigin): Promise<string> {
    const name = await this.#nameOf(origin);
    this.#origins.set(name, origin);
    return name;
  }

  /** Returns the name of the site once it is there. */
  async #nameOf(origin: SiteOrigin): Promise<string> {
    const site = await openSite(origin).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return error;
    });
    if (site instanceof Error) return this.#nameThere(origin, site);
    const { name } = site;
    try {
      const sending = this.#sending.get(name) ?? this.#sendOnce(site, origin);
      this.#sending.set(name, sending);
      await sending.finally(() => this.#sending.delete(name));
    } finally {
      await site.close();
    }
    return name;
  }

  /** Another replica, which has the folder, may have sent it. */
  async #nameThere(origin: SiteOrigin, cause: Error): Promise<string> {
    const all = Object.entries(await this.#control.ask('origins', []));
    const found = all.find(([, each]) => each.folder === origin.folder && each.within === origin.within);
    if (found && siteNameAt(placeOf(found[0])) !== undefined) return found[0];
    throw new Error(`the folder ${origin.folder} no longer exists`, { cause });
  }

  /** Uploads under a draft name until the site is complete. */
  async #sendOnce({ name, entries }: SiteFiles, origin: SiteOrigin): Promise<void> {
    if (await this.#control.ask('hasSite', [name])) return;
    const draft = `${name}-${randomUUID()}`;
    const at = `${sitesFolder}/${draft}`;
    await this.#container.put([
      folderEntry(sitesFolder),
      folderEntry(at),
      textEntry(`${at}/${originFile}`, JSON.stringify(origin)),
      folderEntry(`${at}/${filesFolder}`),
      ...entries.map((entry) => ({ ...entry, path: `${at}/${filesFolder}/${entry.path}` })),
    ]);
    await this.#control.ask('adoptSite', [draft, name]);
  }
}

async function withTargets(project: EdgeProject, change: (target: Static) => Promise<Static>): Promise<EdgeProject> {
  const routes = [];
  // Sequentially: the routes of a project mostly share one folder.
  for (const route of project.routes) {
    const { target } = route;
    routes.push(target.type === 'static' ? { ...route, target: await change(target) } : route);
  }
  return { ...project, routes };
}
