import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { newFolder } from './children.ts';

export interface TlsFront {
  webUrl: string;
  hostname: string;
  /** The CA file for its certificate. */
  caFile: string;
  stop(): void;
}

/** The host with TLS on the default port of its own address, because gh supports no other. */
export async function startTlsFront(target: string, hostname: string): Promise<TlsFront> {
  const folder = newFolder('tls');
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=rig', '-days', '2'];
  const name = ['-addext', `subjectAltName=IP:${hostname}`];
  execFileSync('openssl', [...args, ...name, '-keyout', keyFile, '-out', caFile], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(caFile) }, (request, response) => {
    // gh queries this after a login.
    if (request.url === '/api/graphql') return void response.end('{"data":{"viewer":{"login":"octo"}}}');
    if (request.url === '/api/v3/') return void response.setHeader('x-oauth-scopes', 'repo, read:org, gist').end('{}');
    const onward = ask(
      new URL(request.url!, target),
      { method: request.method!, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    onward.once('error', () => response.destroy());
    return void request.pipe(onward);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(443, hostname, resolve));
  return {
    webUrl: `https://${hostname}`,
    hostname,
    caFile,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
