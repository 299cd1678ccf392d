import { Agent, request } from 'node:https';

export type Visit = { status: number; body: string; headers: Record<string, string | string[] | undefined> };

/** A client that uses HTTPS, trusts one authority, and resolves all names to this machine. */
export function secureVisitor(ca: string, tlsPort: () => number) {
  const keep = new Agent({ keepAlive: true, maxSockets: 2 });
  return (name: string, path = '/', { isKept = false } = {}): Promise<Visit> =>
    new Promise((resolve, reject) => {
      const at = { host: '127.0.0.1', port: tlsPort(), servername: name, ca, path };
      const call = request({ ...at, headers: { host: name }, agent: isKept ? keep : false }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (part: string) => (body += part));
        answer.once('end', () => resolve({ status: answer.statusCode!, body, headers: answer.headers }));
        answer.once('error', reject);
      });
      call.once('error', reject).end();
    });
}

/** Sends requests continuously until stopped; returns the number of responses, and the errors. */
export function visitAllTheTime(visit: (isKept: boolean) => Promise<{ status: number }>, lanes = 4) {
  const figures = { answered: 0, failures: [] as string[] };
  const stopping = new AbortController();
  const lane = async (_: unknown, i: number) => {
    while (!stopping.signal.aborted)
      await visit(i % 2 === 0).then(
        ({ status }) => (status === 200 ? figures.answered++ : figures.failures.push(`answered ${status}`)),
        (error: Error) => figures.failures.push(error.message),
      );
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  return {
    figures,
    async stop() {
      stopping.abort();
      await all;
      return figures;
    },
  };
}
