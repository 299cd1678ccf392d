import { folderOf } from './deploy.ts';
import { node } from './docker-images.ts';

type Part = 'web' | 'api' | 'worker' | 'db';

/** The parts of a small shop; each can be broken individually. */
export interface Shop {
  web?: string;
  api?: string;
  worker?: string;
  db?: string;
  /** Prepended to the program of the API. */
  apiProgram?: string;
  /** The same for the database. */
  dbProgram?: string;
  /** Compose lines that replace a service's own, without their indentation. */
  lines?: Partial<Record<Part, string[]>>;
  /** Additional compose lines of the services, indented by four. */
  more?: Partial<Record<Part, string[]>>;
  /** Additional files of the source. */
  files?: Record<string, string>;
  /** Additional services and top-level settings. */
  rest?: string;
}

const server = (body: string, top = '') => `${top}
const http = require('node:http');
const server = http.createServer(async (request, response) => { ${body} });
server.listen(3000, '0.0.0.0', () => console.log('listening'));
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

const asking = (url: string) =>
  `await new Promise((resolve) => http.get('${url}', { agent: false }, (answer) => { let text = ''; answer.on('data', (each) => text += each); answer.on('end', () => resolve(answer.statusCode + ' ' + text)); }).on('error', (error) => resolve('broken ' + error.code)))`;

/** A shop: a web server that calls an API, which calls a database that counts; and a worker. All respond with their
 * version. */
export function shop({ web = 'v1', api = 'v1', worker = 'v1', db = 'v1', ...options }: Shop = {}): string {
  const { apiProgram = '', dbProgram = '', lines: own = {}, more = {}, files = {}, rest = '' } = options;
  const service = (name: Part, lines: string[]) =>
    [`  ${name}:`, ...[...(own[name] ?? lines), ...(more[name] ?? [])].map((line) => `    ${line}`)].join('\n');
  const health = (port = 3000) => [
    'healthcheck:',
    `  test: ["CMD", "node", "-e", "fetch('http://127.0.0.1:${port}/').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]`,
    '  interval: 500ms',
    '  timeout: 3s',
    '  retries: 20',
  ];
  const dockerfile = `FROM ${node.name}\nWORKDIR /app\nCOPY . .\nCMD ["node", "server.js"]\n`;
  return folderOf({
    'compose.yaml': `services:
${service('web', ['build: web', 'ports: ["3000"]', 'depends_on: [api]'])}
${service('api', ['build: api', 'environment: { VERSION: "${API_NOTE:-plain}" }', 'depends_on: { db: { condition: service_healthy } }'])}
${service('worker', ['build: worker', 'depends_on: { db: { condition: service_healthy } }'])}
${service('db', [`image: ${node.name}`, 'command: ["node", "/program/db.js"]', 'volumes: ["data:/data", "./db:/program:ro"]', ...health()])}
${/^volumes:/m.test(rest) ? rest : `${rest}\nvolumes:\n  data:`}
`,
    'web/Dockerfile': dockerfile,
    'web/server.js': server(`response.end('web ${web} / ' + ${asking('http://api:3000/')});`),
    'api/Dockerfile': dockerfile,
    'api/server.js': server(`response.end('api ${api} / ' + ${asking('http://db:3000/')});`, apiProgram),
    'worker/Dockerfile': dockerfile,
    'worker/server.js': `console.log('worker ${worker}'); setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0));`,
    'db/db.js': server(
      `const fs = require('node:fs'); const file = '/data/starts'; response.end('db ${db} ' + fs.readFileSync(file, 'utf8').length);`,
      `${dbProgram}\nrequire('node:fs').appendFileSync('/data/starts', 'x');`,
    ),
    ...files,
  });
}
