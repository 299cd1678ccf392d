import { describe, expect, it } from 'vitest';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const look = (files: Record<string, string>) => detect(memoryTree(files));
const script = "plugins { id 'application' }\napplication { mainClass = 'A' }";
const wrapper = (version: string) => ({
  gradlew: '#!/bin/sh\n',
  'gradle/wrapper/gradle-wrapper.jar': '',
  'gradle/wrapper/gradle-wrapper.properties': `distributionUrl=https\\://services.gradle.org/distributions/gradle-${version}-bin.zip`,
});

describe('the Gradle wrapper', () => {
  it.each([
    ['4.10.2', '', '8'],
    ['6.8', '', '11'],
    ['7.6.1', '', '17'],
    ['8.4', '', '17'],
    ['8.10', '', '21'],
    ['9.2.0', '', '21'],
    ['9.0', 'sourceCompatibility = 11', '17'],
    ['7.6', 'sourceCompatibility = 1.8', '8'],
  ])('Gradle %s and %j need Java %s', async (version, more, java) => {
    const found = await look({ ...wrapper(version), 'build.gradle': `${script}\n${more}` });
    expect(found.languageVersion).toBe(java);
  });

  it('runs with sh, without Windows line ends', async () => {
    const plain = await look({ ...wrapper('8.10'), 'build.gradle': script });
    expect(plain.buildCommand).toMatch(/^sh \.\/gradlew /);
    const windows = await look({ ...wrapper('8.10'), gradlew: '#!/bin/sh\r\n', 'build.gradle': script });
    expect(windows.buildCommand).toMatch(/^sed -i 's\/\\r\$\/\/' gradlew && sh \.\/gradlew /);
  });

  it('is not used without its archive', async () => {
    const { 'gradle/wrapper/gradle-wrapper.jar': _, ...rest } = wrapper('7.6');
    const found = await look({ ...rest, 'build.gradle': script });
    expect(found).toMatchObject({ buildCommand: 'gradle --no-daemon installDist', packageManagerVersion: '7' });
  });
});

describe('.NET', () => {
  const project = (targets: string) =>
    `<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup>${targets}</PropertyGroup></Project>`;
  const json = (sdk: object) => JSON.stringify({ sdk });

  it('builds with the SDK of global.json and runs on the target', async () => {
    const files = { 'a.csproj': project('<TargetFramework>net6.0</TargetFramework>') };
    const newer = { version: '8.0.100', rollForward: 'latestFeature' };
    expect(await look({ ...files, 'global.json': json(newer) })).toMatchObject({
      languageVersion: '6.0',
      packageManagerVersion: '8.0',
      installCommand: 'dotnet restore a.csproj',
    });
    const pinned = await look({ ...files, 'global.json': json({ version: '6.0.100' }) });
    expect(pinned.installCommand).toBe('rm -f global.json && dotnet restore a.csproj');
  });

  it('publishes the newest of several targets', async () => {
    const found = await look({ 'a.csproj': project('<TargetFrameworks>net6.0;net8.0</TargetFrameworks>') });
    expect(found).toMatchObject({ languageVersion: '8.0' });
    expect(found.buildCommand).toMatch(/ -f net8\.0$/);
  });
});

it('.NET serves the web project with pages, and names the others', async () => {
  const web = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>';
  const found = await look({
    'a.sln': '',
    'src/Api/Api.csproj': web,
    'src/Site/Site.csproj': web,
    'src/Site/Pages/Index.cshtml': '',
  });
  expect(found.startCommand).toContain('dotnet out/Site.dll');
  expect(found.reasons.join()).toContain('set its folder as root directory: src/Api');
});

describe('declared start commands of compiled languages', () => {
  it.each([
    ['go run .', { 'go.mod': 'module a', 'main.go': '' }, './bin/a'],
    ['bin/mail', { 'go.mod': 'module a', 'cmd/server/main.go': '', 'cmd/mail/main.go': '' }, './bin/mail'],
    ['a.app -v', { 'go.mod': 'module a.app', 'main.go': '' }, './bin/a.app -v'],
    ['cargo run --release', { 'Cargo.toml': '[package]\nname = "a"', 'src/main.rs': '' }, './target/release/a'],
    ['mix phx.server', { 'mix.exs': 'app: :a, {:phoenix, "1"}' }, 'PHX_SERVER=true _build/prod/rel/a/bin/a start'],
  ])('%s', async (command, files, start) => {
    expect((await look({ ...files, Procfile: `web: ${command}` })).startCommand).toBe(start);
  });

  it('choose the program of a Go app', async () => {
    const files = { 'go.mod': 'module a', 'cmd/server/main.go': '', 'cmd/mail/main.go': '', Procfile: 'web: bin/mail' };
    expect((await look(files)).buildCommand).toContain('./cmd/mail');
  });
});

describe('Rust', () => {
  it('links libraries by features without a lock file', async () => {
    const manifest = (dependencies: string) => `[package]\nname = "a"\n[dependencies]\n${dependencies}`;
    const packages = async (dependencies: string) =>
      (await look({ 'Cargo.toml': manifest(dependencies), 'src/main.rs': '' })).systemPackages;
    expect(await packages('reqwest = "0.12"\ndiesel = { version = "2", features = ["postgres"] }')).toEqual([
      'libssl3',
      'libpq5',
    ]);
    expect(await packages('reqwest = { version = "0.12", default-features = false }')).toEqual([]);
  });

  it.each(['.sqlx/query-a.json', 'sqlx-data.json'])('checks queries by %s, without a database', async (file) => {
    const found = await look({ 'Cargo.toml': '[package]\nname = "a"', 'src/main.rs': '', [file]: '{}' });
    expect(found.buildCommand).toBe('SQLX_OFFLINE=true cargo build --release --bin a');
  });

  it('starts the server of a workspace, not a tool', async () => {
    const member = (name: string, dependency: string) => `[package]\nname = "${name}"\n[dependencies]\n${dependency}`;
    const found = await look({
      'Cargo.toml': '[workspace]\nmembers = ["a-tool", "web"]',
      'a-tool/Cargo.toml': member('a-tool', ''),
      'a-tool/src/main.rs': '',
      'web/Cargo.toml': member('web', 'axum = "0.8"'),
      'web/src/main.rs': '',
    });
    expect(found).toMatchObject({ framework: 'axum', startCommand: './target/release/web' });
  });
});

describe('Go sources that are incomplete', () => {
  it.each([
    ['a go.mod without sums', { 'go.mod': 'module a\n\nrequire b v1.0.0\n' }, 'go mod tidy && go build -o bin/ .'],
    ['a go.mod without dependencies', { 'go.mod': 'module a\n' }, 'go build -o bin/ .'],
    ['no module', {}, 'go mod init app && go mod tidy && go build -o bin/ .'],
    ['no module, but packages', { 'vendor/a/a.go': '' }, 'export GO111MODULE=off && go build -o bin/ .'],
  ])('%s', async (_, files, build) => {
    const found = await look({ 'main.go': 'package main', ...files });
    expect(found.buildCommand).toBe(build);
  });

  it('is not the library of a main.go in another package', async () => {
    expect((await look({ 'main.go': '// A library\npackage cmd\n' })).startCommand).toBeNull();
  });
});

describe('the Java version of older frameworks', () => {
  const boot = (version: string) =>
    `<parent><artifactId>spring-boot-starter-parent</artifactId><version>${version}</version></parent>`;
  const sbt = (version: string) => ({ 'build.sbt': '', 'project/build.properties': `sbt.version=${version}\n` });
  it.each([
    ['Spring Boot 1', { 'pom.xml': boot('1.5.22.RELEASE') }, '8'],
    ['Spring Boot 2.3', { 'pom.xml': boot('2.3.4.RELEASE') }, '11'],
    ['Spring Boot 2.7', { 'pom.xml': boot('2.7.18') }, '17'],
    ['Spring Boot 3.4', { 'pom.xml': boot('3.4.1') }, null],
    ['another one in the file', { 'pom.xml': `${boot('2.7.18')}<java.version>21</java.version>` }, '21'],
    ['Spring Boot with Gradle', { 'build.gradle': "id 'org.springframework.boot' version '2.4.1'" }, '11'],
    ['sbt 0.13', sbt('0.13.18'), '8'],
    ['sbt 1.8', sbt('1.8.2'), '17'],
    ['sbt 1.10', sbt('1.10.7'), null],
    ['Play', { ...sbt('1.8.2'), 'project/plugins.sbt': '"com.typesafe.play" % "sbt-plugin" % "2.8.8"' }, '11'],
  ])('%s', async (_, files, version) => expect((await look(files)).languageVersion).toBe(version));
});

it('a Procfile for the .NET of Heroku starts the published program', async () => {
  const project = '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net10.0</TargetFramework></Project>';
  const found = await look({ 'web.csproj': project, Procfile: 'web: cd bin/publish/; ./web --urls http://*:$PORT' });
  expect(found.startCommand).toMatch(/dotnet out\/web\.dll$/);
});

describe('a WAR', () => {
  const pom = (more: string) => ({
    'pom.xml': `<project><artifactId>a</artifactId><packaging>war</packaging>${more}</project>`,
  });
  const start = (archive: string) => `cp ${archive} /usr/local/tomcat/webapps/ROOT.war && exec catalina.sh run`;
  it.each([
    ['of Maven', pom('<x>javax.servlet-api</x>'), 'servlet', start('target/*.war')],
    ['of Jakarta', pom('<x>jakarta.servlet-api</x>'), 'jakarta-servlet', start('target/*.war')],
    ['of Gradle', { 'build.gradle': "plugins {\n id 'war'\n}" }, 'servlet', start('build/libs/*.war')],
    ['for an application server', pom('<x>jakarta.jakartaee-api</x>'), 'java', null],
  ])('%s', async (_, files, framework, startCommand) =>
    expect(await look(files)).toMatchObject({ framework, startCommand }),
  );
});

describe('an app in a folder of a larger project is built in it', () => {
  const inside = (folder: string, files: Record<string, string>) => detect(memoryTree(files), folder);
  const csproj = (reference: string) =>
    `<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net9.0</TargetFramework><ProjectReference Include="${reference}" /></Project>`;

  it('Go', async () => {
    const files = {
      'go.mod': 'module x/shop\ngo 1.23\nrequire a v1\n',
      'go.sum': '',
      'cmd/mail/send.go': 'package main',
    };
    expect(await inside('cmd/mail', files)).toMatchObject({
      workspaceDirectory: '',
      languageVersion: '1.23',
      installCommand: 'go mod download',
      installFiles: [],
      buildCommand: 'go build -o bin/ .',
      startCommand: './bin/mail',
    });
    const own = { ...files, 'cmd/mail/go.mod': 'module x/mail\ngo 1.24\n' };
    expect(await inside('cmd/mail', own)).toMatchObject({ workspaceDirectory: null, startCommand: './bin/mail' });
  });

  it('Rust', async () => {
    const member = { 'api/Cargo.toml': '[package]\nname = "api"', 'api/src/main.rs': '' };
    const workspace = {
      'Cargo.toml': '[workspace]\nmembers = ["api"]',
      'Cargo.lock': 'name = "openssl-sys"',
      ...member,
    };
    expect(await inside('api', workspace)).toMatchObject({
      workspaceDirectory: '',
      buildCommand: 'cargo build --release --locked --target-dir target --bin api',
      startCommand: './target/release/api',
      systemPackages: ['libssl3'],
    });
    expect(await inside('api', member)).toMatchObject({ workspaceDirectory: null });
  });

  it.each([
    ['..\\Shared\\Shared.csproj', 'src'],
    ['../../Shared/Shared.csproj', ''],
    ['lib/Lib.csproj', null],
  ])('.NET with a reference to %s', async (reference, workspaceDirectory) =>
    expect(await inside('src/web', { 'src/web/web.csproj': csproj(reference) })).toMatchObject({ workspaceDirectory }),
  );

  it('.NET with common files above', async () => {
    const files = {
      'Directory.Packages.props': '<Project><TargetFramework>net8.0</TargetFramework></Project>',
      'global.json': '{"sdk":{"version":"8.0.100"}}',
      'src/web/web.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
    };
    expect(await inside('src/web', files)).toMatchObject({
      workspaceDirectory: '',
      languageVersion: '8.0',
      installCommand: 'rm -f ../../global.json && dotnet restore web.csproj',
      installFiles: [],
    });
  });
});

describe('a module of a larger build', () => {
  const inFolder = (files: Record<string, string>, folder: string) => detect(memoryTree(files), folder);
  const program = '<build><plugins><plugin>spring-boot-maven-plugin</plugin></plugins></build>';
  const module = `<project><artifactId>api</artifactId><version>1</version>org.springframework.boot${program}</project>`;
  const root = (...names: string[]) =>
    `<project><java.version>17</java.version><modules>${names.map((name) => `<module>${name}</module>`).join('')}</modules></project>`;

  it('is built by Maven with what it needs', async () => {
    const files = { 'pom.xml': root('services/api', 'lib'), 'services/api/pom.xml': module, 'lib/pom.xml': '' };
    expect(await inFolder(files, 'services/api')).toMatchObject({
      workspaceDirectory: '',
      languageVersion: '17',
      buildCommand: 'cd ../.. && mvn -B -DskipTests -pl services/api -am package',
      startCommand: 'java -Dserver.port=${PORT:-8080} -jar target/api-1.jar',
      installFiles: [],
    });
  });

  it('is built from the outermost of several levels', async () => {
    const files = { 'pom.xml': root('services'), 'services/pom.xml': root('api'), 'services/api/pom.xml': module };
    const { buildCommand } = await inFolder(files, 'services/api');
    expect(buildCommand).toBe('cd ../.. && mvn -B -DskipTests -pl services/api -am package');
  });

  it('is built alone if no build above names it', async () => {
    const { buildCommand } = await inFolder({ 'pom.xml': root('lib'), 'api/pom.xml': module }, 'api');
    expect(buildCommand).toBe('mvn -B -DskipTests package');
  });

  it('is built by Gradle with the wrapper of the root', async () => {
    const files = {
      ...wrapper('8.10'),
      'settings.gradle': "include ':services:api', ':lib'",
      'services/api/build.gradle': script,
    };
    expect(await inFolder(files, 'services/api')).toMatchObject({
      workspaceDirectory: '',
      languageVersion: '21',
      buildCommand: 'cd ../.. && sh ./gradlew --no-daemon :services:api:installDist',
      startCommand: 'build/install/api/bin/api',
    });
  });

  it('does not put odd names into commands', async () => {
    const { buildCommand } = await inFolder({ 'pom.xml': root('a;b'), 'a;b/pom.xml': module }, 'a;b');
    expect(buildCommand).toBe('mvn -B -DskipTests package');
  });
});

describe('the archive of Quarkus', () => {
  const pom = (more: string) => `<project><groupId>io.quarkus</groupId>${more}</project>`;
  it.each([
    ['1.11', { 'pom.xml': pom('<quarkus.platform.version>1.11.3.Final</quarkus.platform.version>') }, '*-runner.jar'],
    ['1.13', { 'pom.xml': pom('<quarkus.platform.version>1.13.0</quarkus.platform.version>') }, 'quarkus-run.jar'],
    ['3', { 'pom.xml': pom('<quarkus.platform.version>3.1.0</quarkus.platform.version>') }, 'quarkus-run.jar'],
    [
      'a single file',
      { 'pom.xml': pom(''), 'src/main/resources/application.properties': 'quarkus.package.type=uber-jar' },
      '*-runner.jar',
    ],
    [
      'Gradle',
      { 'build.gradle': "id 'io.quarkus'", 'gradle.properties': 'quarkusPlatformVersion=1.9.2.Final' },
      'build/*-runner.jar',
    ],
  ])('of %s', async (_, files, archive) => {
    expect((await look(files)).startCommand).toContain(`/${archive.replace(/^build\//, '')}`);
  });
});

describe('the program of a Go module', () => {
  const main = 'package main\n';
  it.each([
    ['the only one', { 'backend/http/main.go': main, 'examples/a/main.go': main }, 'go build -o bin/ ./backend/http'],
    ['named like the module', { 'cmd/acli/main.go': main, 'cmd/shop/main.go': main }, 'go build -o bin/ ./cmd/shop'],
    ['one of several', { 'backend/main.go': main, 'worker/main.go': main }, null],
  ])('%s', async (_, files, build) => {
    expect((await look({ 'go.mod': 'module x.org/shop', ...files })).buildCommand).toBe(build);
  });
});

it('warns about Phoenix before 1.6', async () => {
  const warnings = async (version: string) =>
    (await look({ 'mix.exs': `app: :shop, deps: [{:phoenix, "~> ${version}"}]` })).warnings;
  expect(await warnings('1.5.9')).toHaveLength(1);
  expect(await warnings('1.7.0')).toEqual([]);
});
