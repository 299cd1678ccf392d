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

/** Folders of this machine that an edge on another one serves: sent there once, and called by our names on this side. That machine
 * is somebody else's: no folder of ours is opened because it says so. */
export class ServerSites {
  readonly #container: Container;
  readonly #control: Control;
  /** What was pointed through here. */
  readonly #origins = new Map<string, SiteOrigin>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(container: Container, control: Control) {
    [this.#container, this.#control] = [container, control];
  }

  /** The project as the edge there is told of it. Its sites are there when this returns. */
  send(project: EdgeProject): Promise<EdgeProject> {
    return withTargets(project, async (target) => {
      // As we were told of it, and nothing of ours.
      if (siteNameAt(target.folder) !== undefined) return target;
      const name = await this.#bring({ folder: target.folder, within: target.within ?? null });
      return { ...target, folder: placeOf(name), ...(target.within && { within: placeOf(name) }) };
    });
  }

  /** The project as it was pointed through here; what others have pointed is called as it is there. */
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

  /** Of the site, once it is there. */
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
    throw new Error(`the folder ${origin.folder} is not there any more`, { cause });
  }

  /** Under another name until it is whole. */
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
  // One after another: those of a project mostly lead to the same folder.
  for (const route of project.routes) {
    const { target } = route;
    routes.push(target.type === 'static' ? { ...route, target: await change(target) } : route);
  }
  return { ...project, routes };
}
