import type { Instance, ReleaseSpec, Runtime } from './runtime.ts';

/** Runs nothing and remembers what it was told: for tests of what stands on a runtime. */
export function createMemoryRuntime(): Runtime {
  const instances = new Map<string, Instance>();
  const kinds = new Map<string, ReleaseSpec['kind']>();
  const known = (deploymentId: string): Instance => {
    const instance = instances.get(deploymentId);
    if (!instance) throw new Error(`there is no instance of ${deploymentId}`);
    return instance;
  };
  return {
    kind: 'memory',
    async start({ kind, owner, port = 1 }: ReleaseSpec) {
      kinds.set(owner.deploymentId, kind);
      const instance: Instance = {
        id: `mem-${owner.deploymentId}`,
        owner,
        state: 'running',
        host: '127.0.0.1',
        port,
        startedAt: Date.now(),
        restarts: 0,
        exitCode: null,
        exitSignal: null,
        notices: [],
      };
      instances.set(owner.deploymentId, instance);
      return instance;
    },
    find: async (deploymentId) => instances.get(deploymentId),
    list: async (kind) =>
      [...instances.values()].filter(({ owner }) => !kind || kinds.get(owner.deploymentId) === kind),
    restart: async (deploymentId) => Object.assign(known(deploymentId), { startedAt: Date.now() }),
    async stop(deploymentId) {
      const instance = instances.get(deploymentId);
      if (instance) instance.state = 'exited';
    },
    async remove(deploymentId) {
      instances.delete(deploymentId);
    },
    usage: async () => undefined,
    logs: async () => [],
  };
}
