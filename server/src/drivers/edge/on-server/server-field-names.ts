import { edgeFilesOf } from '../builtin/protocol.ts';
import { dataFolder } from './container-paths.ts';

const fields: Record<string, string> = {
  MOORING_EDGE_PORT: 'edgePort of the server',
  MOORING_EDGE_TLS_PORT: 'edgeTlsPort of the server',
  MOORING_EDGE_HOST: 'edgeHost of the server',
};

export const edgeLogLocation = 'edge.log in the volume of its container on the server';

/** Replaces the names of instance settings with the fields of the server that correspond to them. */
export function withServerFieldNames<T extends Error>(error: T): T {
  error.message = error.message
    .replaceAll(/MOORING_EDGE_(?:PORT|TLS_PORT|HOST)\b/g, (name) => fields[name]!)
    .replaceAll(edgeFilesOf(dataFolder).log, edgeLogLocation);
  return error;
}
