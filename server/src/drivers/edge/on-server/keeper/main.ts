import { parseArgs } from 'node:util';
import { dataFolder } from '../container-paths.ts';
import { runBridge } from './bridge.ts';
import { keepEdgeRunning } from './keep.ts';
import { relayConnections } from './relay.ts';

// Runs in the container of an edge on another server: `keep` is the container's main process, `bridge` is started by
// the engine for the remote driver. Uses no environment variables.
const { values, positionals } = parseArgs({
  options: {
    instance: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
    /** `port:host:port`, where the first one is this container's. */
    relay: { type: 'string' },
  },
  allowPositionals: true,
});
process.umask(0o077);

if (positionals[0] === 'bridge') runBridge(dataFolder, values.instance!);
else {
  const [from, host, to] = values.relay?.split(':') ?? [];
  if (values.relay) relayConnections(Number(from), { host: host!, port: Number(to) });
  void keepEdgeRunning({
    dataDir: dataFolder,
    instanceId: values.instance!,
    host: values.host!,
    port: Number(values.port),
  });
}
