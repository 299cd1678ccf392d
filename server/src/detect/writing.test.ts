import { describe, expect, it } from 'vitest';
import { memoryTree } from './memory-tree.ts';
import { findWriting } from './writing.ts';

const server = `require('node:http').createServer((_, response) => {
  response.write(new Date().toString());
  response.end('hello');
}).listen(process.env.PORT);`;

describe('whether an app writes to its own folder', () => {
  it.each<[string, Record<string, string>]>([
    ['a server', { 'server.js': server, 'package.json': '{"dependencies":{"express":"5"}}' }],
    ['a heading', { 'src/App.tsx': 'export const App = () => <h2>Hello</h2>' }],
    ['its build', { 'server.js': server, 'package.json': '{"scripts":{"build":"mkdir -p dist && tsc > log"}}' }],
    ['its tests', { 'server.js': server, 'server.test.js': 'writeFileSync()', 'tests/a.py': 'open("a", "w")' }],
    ['its packages', { 'server.js': server, 'node_modules/a/index.js': 'fs.writeFileSync("a")' }],
    ['Python', { 'app.py': `app = Flask(__name__)\nwith open("page.html") as page: text = page.read()` }],
    ['Go', { 'main.go': 'package main\nfunc main() { http.ListenAndServe(":" + os.Getenv("PORT"), nil) }' }],
    ['Rust', { 'src/main.rs': 'fn main() { TcpListener::bind(addr) }', 'Cargo.toml': '[dependencies]\naxum = "0.8"' }],
    ['Java', { 'src/main/java/Main.java': 'HttpServer.create(new InetSocketAddress(port), 0)' }],
  ])('%s does not', async (_, files) => expect(await findWriting(memoryTree(files))).toBeUndefined());

  it.each<[string, Record<string, string>, string]>([
    ['a call', { 'server.js': server, 'lib/store.js': `fs.writeFileSync('db.json')` }, 'lib/store.js has "writeFile"'],
    ['a database in a file', { 'a.js': server, 'package.json': '{"dependencies":{"better-sqlite3":"1"}}' }, '"sqlite"'],
    ['uploads', { 'a.js': server, 'package.json': '{"dependencies":{"multer":"1"}}' }, 'package.json has "multer"'],
    ['Python', { 'app.py': `with open(path, 'wb') as file: pass` }, 'app.py has'],
    ['Python, by its frames', { 'app.py': `frame.to_csv("out.csv")` }, 'app.py has'],
    ['Flask', { 'app.py': `request.files['a'].save('uploads')` }, 'app.py has'],
    ['Go', { 'main.go': 'os.MkdirAll("data", 0o755)' }, 'main.go has "os.Mkdir"'],
    ['Rust', { 'src/main.rs': 'File::create("x")' }, 'src/main.rs has'],
    ['Java', { 'src/A.java': 'new FileOutputStream(file)' }, 'src/A.java has'],
    ['a database of the JVM', { 'src/A.java': '', 'pom.xml': '<artifactId>h2</artifactId>' }, 'pom.xml has "h2"'],
    ['Kotlin', { 'src/A.kt': 'File("a").writeText("b")' }, 'src/A.kt has'],
    ['Next.js', { 'app/page.tsx': 'export const revalidate = 60' }, 'app/page.tsx has "revalidate"'],
    ['nothing that is known', { 'main.unknown': '' }, 'nothing of its source'],
  ])('%s does', async (_, files, reason) => expect(await findWriting(memoryTree(files))).toContain(reason));

  it('a source that is too large is not judged', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`a${i}.js`, '']));
    expect(await findWriting(memoryTree(many))).toContain('too large');
  });

  it.each(['open(', 'open(("', '> ', '>\t\t\t', '<file', '.write', 'use cache'])(
    'many %j do not hold it up',
    async (text) => {
      const began = performance.now();
      await findWriting(memoryTree({ 'a.py': text.repeat(900_000 / text.length), 'b.sh': text.repeat(100_000) }));
      expect(performance.now() - began).toBeLessThan(2000);
    },
  );
});
