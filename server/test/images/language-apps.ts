/** An app of a language: one of the examples, or files if an example would need downloads. */
export interface LanguageApp {
  name: string;
  example?: string;
  files?: Record<string, string>;
  /** A version that Debian lacks, and the one that it has. */
  instead?: { file: string; of: string; take: string };
  /** Downloads of its build, besides Debian packages. */
  fetches?: 'npm' | 'wheels';
  /** Settings of the project. */
  settings?: object;
  /** A static site. */
  isSite?: boolean;
  answer: string;
}

const text = (content: object) => JSON.stringify(content, null, 2);
const expressServer = `const app = require('express')();
app.get('/', (_, response) => response.send('Hello from Express'));
app.listen(process.env.PORT, process.env.HOST);`;

/** A server in C that is also valid C++. */
const inC = (language: string) => `#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(atoi(getenv("PORT")));
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) return 1;
  const char *answer = "HTTP/1.0 200 OK\\r\\n\\r\\nHello from ${language}\\n";
  for (;;) {
    char request[1024];
    int one = accept(listener, NULL, NULL);
    if (read(one, request, sizeof request) > 0 && write(one, answer, strlen(answer)) < 0) perror("write");
    close(one);
  }
}
`;

const inJava = `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Main {
  public static void main(String[] arguments) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/", exchange -> {
      byte[] answer = "Hello from Java".getBytes();
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    server.start();
  }
}
`;

const pom = `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>greeter</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
  </properties>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-jar-plugin</artifactId>
        <configuration><archive><manifest><mainClass>Main</mainClass></manifest></archive></configuration>
      </plugin>
    </plugins>
  </build>
</project>
`;

const inClojure = `(ns greeter.core
  (:gen-class)
  (:import (com.sun.net.httpserver HttpHandler HttpServer) (java.net InetSocketAddress)))

(defn -main []
  (doto (HttpServer/create (InetSocketAddress. (Integer/parseInt (System/getenv "PORT"))) 0)
    (.createContext "/"
      (reify HttpHandler
        (handle [_ exchange]
          (let [answer (.getBytes "Hello from Clojure")]
            (.sendResponseHeaders exchange 200 (count answer))
            (.write (.getResponseBody exchange) answer)
            (.close exchange)))))
    (.start)))
`;

const inElixir = `defmodule Greeter do
  use Application

  def start(_, _), do: Task.start_link(fn -> listen() end)

  defp listen do
    port = String.to_integer(System.get_env("PORT"))
    {:ok, listener} = :gen_tcp.listen(port, [:binary, active: false, reuseaddr: true])
    serve(listener)
  end

  defp serve(listener) do
    {:ok, one} = :gen_tcp.accept(listener)
    :gen_tcp.recv(one, 0)
    :gen_tcp.send(one, "HTTP/1.0 200 OK\\r\\n\\r\\nHello from Elixir\\n")
    :gen_tcp.close(one)
    serve(listener)
  end
end
`;

const inPython = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Hello from Python")


HTTPServer(("0.0.0.0", int(os.environ["PORT"])), Handler).serve_forever()
`;

const inRuby = `require 'socket'
server = TCPServer.new('0.0.0.0', ENV.fetch('PORT').to_i)
loop do
  one = server.accept
  one.gets
  one.write("HTTP/1.0 200 OK\\r\\n\\r\\nHello from Ruby\\n")
  one.close
end
`;

const inPerl = `use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalPort => $ENV{PORT}, Listen => 16, ReuseAddr => 1) or die $!;
while (my $one = $server->accept) {
  <$one>;
  print $one "HTTP/1.0 200 OK\\r\\n\\r\\nHello from Perl\\n";
  close $one;
}
`;

export const apps: LanguageApp[] = [
  { name: 'Node.js', example: 'node-http', answer: 'Hello' },
  {
    name: 'Express with npm',
    files: {
      'package.json': text({ dependencies: { express: '4.21.2' }, scripts: { start: 'node server.js' } }),
      'server.js': expressServer,
    },
    fetches: 'npm',
    answer: 'Hello from Express',
  },
  {
    name: 'Express with Yarn',
    files: {
      'package.json': text({
        dependencies: { express: '4.21.2' },
        packageManager: 'yarn@1.22.22',
        scripts: { start: 'node server.js' },
      }),
      'server.js': expressServer,
    },
    fetches: 'npm',
    answer: 'Hello from Express',
  },
  {
    // Its downloads do not work through the rig's proxy, so only Yarn itself is fetched.
    name: 'Node.js with the newer Yarn',
    files: {
      'package.json': text({ packageManager: 'yarn@4.9.2', scripts: { start: 'node server.js' } }),
      'server.js': `require('node:http')
  .createServer((_, response) => response.end('Hello from Yarn'))
  .listen(process.env.PORT);\n`,
    },
    fetches: 'npm',
    answer: 'Hello from Yarn',
  },
  {
    name: 'Express with pnpm in TypeScript',
    files: {
      'package.json': text({
        dependencies: { express: '4.21.2' },
        devDependencies: { typescript: '5.8.3' },
        packageManager: 'pnpm@10.12.1',
        scripts: { build: 'tsc --outDir dist --allowJs server.js', start: 'node dist/server.js' },
      }),
      'server.js': expressServer,
    },
    fetches: 'npm',
    answer: 'Hello from Express',
  },
  {
    name: 'Next.js',
    files: {
      'package.json': text({
        dependencies: { next: '15.3.4', react: '19.1.0', 'react-dom': '19.1.0' },
        scripts: { build: 'next build', start: 'next start' },
      }),
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;\n',
      'app/page.js': 'export const dynamic = "force-dynamic";\nexport default () => <p>Hello from Next</p>;\n',
    },
    fetches: 'npm',
    answer: 'Hello from Next',
  },
  {
    name: 'Vite',
    files: {
      'package.json': text({ devDependencies: { vite: '6.3.5' }, scripts: { build: 'vite build' } }),
      'index.html': '<!doctype html><title>Hello from Vite</title>\n',
    },
    fetches: 'npm',
    isSite: true,
    answer: 'Hello from Vite',
  },
  { name: 'Bun', example: 'bun-plain', fetches: 'npm', answer: 'Hello from Bun' },
  { name: 'Deno', example: 'deno-without-config', fetches: 'npm', answer: 'Hello from Deno' },
  { name: 'Python', example: 'python-plain', answer: 'Hello from Python' },
  {
    name: 'Flask with pip',
    files: {
      'requirements.txt': 'flask\n',
      'app.py': `from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef hello():\n    return "Hello from Flask"\n`,
    },
    fetches: 'wheels',
    settings: { buildCommand: 'python -c "import flask"', releaseCommand: 'python -c "import flask"' },
    answer: 'Hello from Flask',
  },
  {
    name: 'Python with Pipenv',
    files: {
      Pipfile: '[[source]]\nurl = "https://pypi.org/simple"\nverify_ssl = true\nname = "pypi"\n\n[packages]\n',
      'main.py': inPython,
    },
    answer: 'Hello from Python',
  },
  { name: 'Go', example: 'go-http', answer: 'Hello from Go' },
  {
    name: 'Rust',
    example: 'rust-http',
    instead: { file: 'Cargo.toml', of: '1.75', take: '1.63' },
    answer: 'Hello from Rust',
  },
  { name: 'Ruby', files: { Gemfile: "source 'https://rubygems.org'\n", 'main.rb': inRuby }, answer: 'Hello from Ruby' },
  { name: 'PHP', example: 'php-plain', answer: 'Hello from PHP' },
  { name: 'PHP with Composer', example: 'php-heroku', answer: 'Hello from PHP' },
  {
    name: 'Laravel with a database file',
    files: {
      'composer.json': JSON.stringify({
        require: { 'laravel/framework': '*' },
        repositories: [
          { type: 'path', url: 'packages/framework', options: { symlink: false } },
          { 'packagist.org': false },
        ],
      }),
      'packages/framework/composer.json': JSON.stringify({ name: 'laravel/framework', version: '12.0.0' }),
      'config/database.php': `<?php return ['default' => env('DB_CONNECTION', 'sqlite')];`,
      'database/migrations/1_items.php': '<?php',
      artisan: `<?php if ($argv[1] === 'migrate') file_put_contents('database/database.sqlite', 'migrated');`,
      'public/index.php': `<?php echo 'Hello from Laravel, ', file_get_contents('../database/database.sqlite');`,
    },
    answer: 'Hello from Laravel, migrated',
  },
  { name: 'Perl', files: { 'server.pl': inPerl }, answer: 'Hello from Perl' },
  {
    name: 'Mojolicious',
    files: { 'app.pl': `use Mojolicious::Lite;\nget '/' => { text => 'Hello from Mojolicious' };\napp->start;\n` },
    // It is a Debian package, since CPAN is unavailable.
    settings: { installCommand: '' },
    answer: 'Hello from Mojolicious',
  },
  {
    name: 'Nim',
    example: 'nim-http',
    instead: { file: 'greeter.nimble', of: 'nim >= 2.0.0', take: 'nim >= 1.6.0' },
    answer: 'Hello from Nim',
  },
  {
    name: 'Gradle',
    files: {
      'build.gradle': `apply plugin: 'java'\napply plugin: 'application'\nmainClassName = 'Main'\n`,
      'settings.gradle': `rootProject.name = 'greeter'\n`,
      'src/main/java/Main.java': inJava,
    },
    answer: 'Hello from Java',
  },
  {
    name: 'Maven',
    files: { 'pom.xml': pom, 'src/main/java/Main.java': inJava },
    answer: 'Hello from Java',
  },
  {
    name: 'Clojure',
    files: {
      'project.clj': `(defproject greeter "1.0.0"
  :dependencies [[org.clojure/clojure "1.11.1"]]
  :main greeter.core
  :aot :all
  :uberjar-name "greeter.jar")
`,
      'src/greeter/core.clj': inClojure,
    },
    answer: 'Hello from Clojure',
  },
  { name: 'Hugo', example: 'hugo', isSite: true, answer: '<' },
  {
    name: 'a script',
    files: { 'start.sh': `#!/bin/sh\nexec perl -e '${inPerl}'\n` },
    answer: 'Hello from Perl',
  },
  {
    name: 'Elixir',
    files: {
      'mix.exs': `defmodule Greeter.MixProject do
  use Mix.Project
  def project, do: [app: :greeter, version: "1.0.0", elixir: "~> 1.14"]
  def application, do: [mod: {Greeter, []}]
end
`,
      'lib/greeter.ex': inElixir,
    },
    // Hex has its own registry, and the app needs nothing from it.
    settings: { installCommand: '' },
    answer: 'Hello from Elixir',
  },
  {
    name: 'C with make',
    files: { Makefile: 'greeter: main.c\n\tcc -O2 -o greeter main.c\n', 'main.c': inC('C') },
    answer: 'Hello from C',
  },
  {
    name: 'C++ with CMake',
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.10)\nproject(greeter CXX)\nadd_executable(greeter src/main.cpp)\n',
      'src/main.cpp': inC('C++'),
    },
    answer: 'Hello from C++',
  },
  {
    name: 'C++ with Meson',
    files: {
      'meson.build': `project('greeter', 'cpp')\n\nexecutable('greeter', 'main.cpp')\n`,
      'main.cpp': inC('C++'),
    },
    answer: 'Hello from C++',
  },
];
