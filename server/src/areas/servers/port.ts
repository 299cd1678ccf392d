// The functions and types that other areas may import. The architecture test refuses imports of other files.
export type { ServerAccess, ServerNode } from './connections.ts';
export type { Servers } from './servers/service.ts';
export { decideRuntime, selectKnownServers, selectServer } from './servers/store.ts';
export { visibleServer } from './servers/visible.ts';
