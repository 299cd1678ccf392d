import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Drivers } from './app.ts';
import type { Config } from './config.ts';
import { createBuiltinEdge } from './drivers/edge/builtin/builtin.ts';
import { localHost } from './drivers/host/local.ts';
import { separation, userOf } from './drivers/runtime/process/app-user.ts';
import { createProcessRuntime } from './drivers/runtime/process/process-runtime.ts';

// Below what the kernel gives to outgoing connections: nobody takes a port of an app that restarts.
const appPorts = { from: 20_000, to: 27_999 };

/** What builds get of our environment: where programs are and how the network is reached. Nothing else of ours. */
const passedOn = /^(PATH|LANG|LC_ALL|TZ|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy)$/i;

/** The drivers of a machine without anything installed: processes, and an edge of our own. */
export function localDrivers(
  config: Config,
  instanceId: string,
  environment: Record<string, string | undefined>,
): Drivers {
  const { dataDir, edgeHost, edgePort } = config;
  const program = (name: string) => join(import.meta.dirname, name);
  return {
    host: localHost(),
    runtime: createProcessRuntime({
      folder: join(dataDir, 'processes'),
      instanceId,
      program: program('supervisor.cjs'),
      portRange: appPorts,
    }),
    edge: createBuiltinEdge({ dataDir, instanceId, host: edgeHost, port: edgePort, program: program('edge.cjs') }),
    isBound: true,
    userOf: (projectNumber) => (separation(dataDir).separate ? userOf(projectNumber) : undefined),
    buildEnvironment: Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined,
      ),
    ),
    localSourceRoots: config.localSourceRoots.length ? config.localSourceRoots : [process.cwd(), homedir(), tmpdir()],
  };
}
