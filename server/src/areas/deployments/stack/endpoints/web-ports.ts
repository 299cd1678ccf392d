/** Ports of mail, shells, DNS, databases and queues, and HTTPS ports. */
const otherPorts = new Set([
  21, 22, 23, 25, 53, 110, 123, 143, 389, 443, 445, 465, 587, 636, 853, 873, 993, 995, 1025, 1433, 1521, 1883, 2049,
  2181, 2379, 3306, 3389, 3478, 4222, 5060, 5432, 5672, 5900, 6379, 6380, 6432, 7687, 8443, 8554, 8883, 9042, 9092,
  9094, 9160, 11211, 27017, 27018, 29092, 33060, 50000, 61616,
]);
export const speaksNoHttp = (port: number): boolean => otherPorts.has(port);

/** Usual ports of web servers and frameworks. */
export const isHttpPort = (port: number | null): boolean =>
  port !== null &&
  (port === 80 || /^(3|4|5|8)\d{3}$|^(1337|2368|7860|9000|9090)$/.test(String(port))) &&
  !speaksNoHttp(port);

/** Returns the port that most likely speaks HTTP; null if none may. The edge speaks HTTP. */
export const webPort = (ports: readonly number[]): number | null =>
  ports.find(isHttpPort) ?? ports.find((port) => !speaksNoHttp(port)) ?? null;

/** Reads a port from text; null if it is none. */
export function parsePort(text: string | null | undefined): number | null {
  const port = /^\d{1,5}$/.test(text?.trim() ?? '') ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : null;
}
