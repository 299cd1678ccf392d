const fields: Record<string, string> = {
  MOORING_EDGE_PORT: 'edgePort of the server',
  MOORING_EDGE_TLS_PORT: 'edgeTlsPort of the server',
  MOORING_EDGE_HOST: 'edgeHost of the server',
};

/** The edge knows the settings of an instance; on a server the same things are fields of the server. */
export function inServerWords<T extends Error>(error: T): T {
  error.message = error.message.replaceAll(/MOORING_EDGE_(?:PORT|TLS_PORT|HOST)\b/g, (name) => fields[name]!);
  return error;
}
