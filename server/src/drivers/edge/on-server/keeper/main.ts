import { parseArgs } from 'node:util';
import { dataFolder } from '../container-paths.ts';
import { bridge } from './bridge.ts';
import { keep } from './keep.ts';

// What runs in the container of an edge on another machine: `keep` is the container's own process, `bridge` is started in
// it by the engine for whoever drives the edge from afar. It takes nothing from the environment.
const { values, positionals } = parseArgs({
  options: { instance: { type: 'string' }, host: { type: 'string' }, port: { type: 'string' } },
  allowPositionals: true,
});
process.umask(0o077);

if (positionals[0] === 'bridge') bridge(dataFolder, values.instance!);
else
  void keep({
    dataDir: dataFolder,
    instanceId: values.instance!,
    host: values.host!,
    port: Number(values.port),
  });
