// The page: the API's response, with the version of both.
import { createServer, request as ask } from 'node:http';
import { text } from 'node:stream/consumers';

const { VERSION: version } = process.env;
const release = `${version} ${Date.now()}`;

/** A new connection for each request: the name may resolve to another API container by then. */
const fromApi = (method, body) =>
  new Promise((resolve, reject) => {
    const sent = ask({ host: 'api', port: 3000, method, agent: false }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode, body: said }), reject);
    });
    sent.once('error', reject).end(body);
  });

async function answer(request, response) {
  response.setHeader('x-release', release);
  try {
    const { status, body } = await fromApi(request.method, await text(request));
    response.statusCode = status;
    response.end(`web ${version} / ${body}`);
  } catch (error) {
    response.statusCode = 502;
    response.end(`web ${version} does not reach the API: ${error.message}`);
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(3000, '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
