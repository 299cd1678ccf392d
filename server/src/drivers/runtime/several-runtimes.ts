import type { Instance, ReleaseSpec, Runtime } from './runtime.ts';

type Kinds = Partial<Record<ReleaseSpec['kind'], Runtime>>;

/** Combines several runtimes: a release is started by the runtime of its kind, and found wherever it was started. So
 * an instance that gets a container engine keeps running its existing apps. */
export function severalRuntimes(byKind: Kinds): Runtime {
  const all = [...new Set(Object.values(byKind))];

  /** Runtimes without an engine come first. */
  async function holder(
    deploymentId: string,
    service?: string,
    replica?: number,
  ): Promise<{ runtime: Runtime; found: Instance } | undefined> {
    for (const runtime of all) {
      const found = await runtime.find(deploymentId, service, replica);
      if (found) return { runtime, found: { runtime: runtime.kind, ...found } };
    }
    return undefined;
  }

  /** Returns the runtime of the service. Without one it is the app; if there is none, the deployment may be a stack,
   * which consists of images. */
  async function anyHolder(deploymentId: string, service?: string): Promise<Runtime | undefined> {
    const held = await holder(deploymentId, service);
    return held?.runtime ?? (service === undefined ? byKind.image : undefined);
  }

  async function holderOf(deploymentId: string, service?: string): Promise<Runtime> {
    const held = await anyHolder(deploymentId, service);
    if (!held) throw new Error(`${deploymentId} does not run; it has to be started again`);
    return held;
  }

  return {
    kind: all.map(({ kind }) => kind).join('+'),
    async start(spec, tell) {
      const runtime = byKind[spec.kind];
      if (!runtime) throw new Error(`this machine cannot run a release of the kind ${spec.kind}`);
      return { runtime: runtime.kind, ...(await runtime.start(spec, tell)) };
    },
    find: async (deploymentId, service, replica) => (await holder(deploymentId, service, replica))?.found,
    async list(kind) {
      const asked = kind ? [byKind[kind]].filter((each) => each !== undefined) : all;
      const lists = await Promise.all(
        asked.map(async (each) => (await each.list(kind)).map((found) => ({ runtime: each.kind, ...found }))),
      );
      return lists.flat();
    },
    restart: async (deploymentId, service) => (await holderOf(deploymentId, service)).restart(deploymentId, service),
    stop: async (deploymentId, graceMs, service, replica) =>
      (await anyHolder(deploymentId, service))?.stop(deploymentId, graceMs, service, replica),
    pause: async (deploymentId, service) => (await anyHolder(deploymentId, service))?.pause(deploymentId, service),
    resume: async (deploymentId, service) => (await anyHolder(deploymentId, service))?.resume(deploymentId, service),
    // Each may have leftovers: logs, ports, notes.
    remove: async (deploymentId, service, replica) => {
      for (const each of all) await each.remove(deploymentId, service, replica);
    },
    usage: async (deploymentId, service, replica) =>
      (await anyHolder(deploymentId, service))?.usage(deploymentId, service, replica),
    listening: async (deploymentId, service) =>
      (await anyHolder(deploymentId, service))?.listening?.(deploymentId, service),
    follow: async (deploymentId, port) => (await holder(deploymentId))?.runtime.follow?.(deploymentId, port),
    logs: async (deploymentId, options) => {
      const lines = await Promise.all(all.map((each) => each.logs(deploymentId, options)));
      return lines.flat();
    },
  };
}
