import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tenantTables } from '../src/db/tenant.ts';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'server/src');

/** Areas are ordered: each may call only those before it. */
const areas = [
  'access',
  'instance',
  'servers',
  'githost',
  'projects',
  'domains',
  'deployments',
  'backups',
  'migration',
  'cloud',
];

/** Folders of the deployments area are ordered: each may import only those before it. */
const deploymentLayers = [
  'model',
  'limits',
  'contents',
  'stack',
  'source',
  'build',
  'workers',
  'release',
  'rollout',
  'engine',
  'upkeep',
  'requests',
  'pushes',
  'port.ts',
  'area.ts',
];
const mostFiles = 35;

/** Allowed imports between modules. A module is a folder (or a file) of server/src. */
const mayImport: Record<string, string[]> = {
  lib: ['errors.ts'],
  'errors.ts': [],
  'version.ts': [],
  'setting-kinds.ts': [],
  'default-data-dir.ts': [],
  'settings.ts': ['setting-kinds.ts', 'default-data-dir.ts'],
  'config.ts': ['settings.ts', 'errors.ts', 'lib'],
  'instance-keys.ts': ['config.ts', 'lib'],
  db: ['lib', 'errors.ts'],
  http: ['lib', 'errors.ts'],
  drivers: ['lib', 'errors.ts'],
  detect: ['lib', 'errors.ts'],
  dockerfile: ['detect', 'errors.ts'],
  compose: ['detect', 'lib', 'errors.ts'],
  events: ['lib', 'db', 'http', 'errors.ts'],
  ...Object.fromEntries(
    areas.map((area, i) => [
      `areas/${area}`,
      [
        'lib',
        'db',
        'http',
        'drivers',
        'detect',
        'dockerfile',
        'compose',
        'events',
        'errors.ts',
        'config.ts',
        ...areas.slice(0, i).map((each) => `areas/${each}`),
      ],
    ]),
  ),
  'app.ts': [
    'lib',
    'db',
    'http',
    'drivers',
    'detect',
    'dockerfile',
    'compose',
    'events',
    'errors.ts',
    'config.ts',
    'version.ts',
    'target-lookups.ts',
    'wire-deployments.ts',
    ...areas.map((each) => `areas/${each}`),
  ],
  // Also types of app.ts.
  'wire-deployments.ts': ['http', 'drivers', 'detect', 'config.ts', 'app.ts', ...areas.map((each) => `areas/${each}`)],
  'target-lookups.ts': ['db', 'http', 'errors.ts', ...areas.map((each) => `areas/${each}`)],
  // Separate processes beside the service: bundled separately, started by their drivers.
  'local-drivers.ts': [
    'drivers',
    'config.ts',
    'app.ts',
    'container-engine.ts',
    'git-host.ts',
    'server-drivers.ts',
    'swarm-drivers.ts',
  ],
  'swarm-drivers.ts': ['drivers', 'container-engine.ts', 'swarm-registry.ts'],
  'swarm-registry.ts': ['drivers', 'config.ts'],
  'server-drivers.ts': ['drivers', 'config.ts', 'container-engine.ts', 'swarm-drivers.ts', 'areas/deployments'],
  'container-engine.ts': ['drivers', 'lib', 'config.ts', 'errors.ts', 'areas/deployments', 'swarm-registry.ts'],
  'git-host.ts': ['drivers', 'config.ts', 'errors.ts'],
  'cloud-firewall.ts': ['drivers', 'lib', 'config.ts', 'errors.ts'],
  // Commands of the operator of the machine; maintenance.ts runs them.
  operator: ['*'],
  'boot.ts': ['default-data-dir.ts'],
  'main.ts': ['*'],
  'maintenance.ts': ['*'],
};

/** Workspaces by their package names. */
const workspaceMayImport: Record<string, RegExp> = {
  server: /^(node:|bcryptjs$|croner$|fastify$|kysely$|pg$|pino$|smol-toml$|ssh2$|yaml$|zod$)/,
  client: /^openapi-fetch$/,
  cli: /^(node:|@mooring\/client(\/folder)?$)/,
};

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/(\.test|(^|-)contract|-rig)\.ts$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name));

const importPattern = /^(?:import|export)\b[^;'"]*?\bfrom\s*'([^'\n]+)'|^import '([^'\n]+)'|\bimport\(\s*'([^'\n]+)'/gm;

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(importPattern)].map((m) => m[1] ?? m[2] ?? m[3]!);

function roomOf(file: string): string {
  const [first, second] = relative(source, file).split('/');
  return first === 'areas' ? `areas/${second}` : first!;
}

describe('architecture', () => {
  it('modules import only from the modules that the table allows', () => {
    const broken = files(source).flatMap((file) => {
      const room = roomOf(file);
      const allowed = mayImport[room];
      if (!allowed) return [`${room} is not in the table of rooms`];
      const rooms = importsOf(file)
        .filter((name) => name.startsWith('.') && !name.endsWith('.json'))
        .map((name) => roomOf(resolve(dirname(file), name)));
      const wrong = rooms.filter((other) => other !== room && !allowed.includes(other) && !allowed.includes('*'));
      return wrong.map((other) => `${relative(source, file)} imports ${other}`);
    });
    expect(broken).toEqual([]);
  });

  it('areas import only the public interface of another area: its area.ts or its port.ts', () => {
    const inside = files(join(source, 'areas')).flatMap((file) => {
      const others = importsOf(file)
        .map((name) => resolve(dirname(file), name))
        .filter((path) => path.startsWith(`${source}/areas/`) && roomOf(path) !== roomOf(file));
      const wrong = others.filter((path) => !/^areas\/\w+\/(area|port)\.ts$/.test(relative(source, path)));
      return wrong.map((path) => `${relative(source, file)} imports ${relative(source, path)}`);
    });
    expect(inside).toEqual([]);
  });

  it('folders of areas/deployments import only those above them', () => {
    const area = join(source, 'areas/deployments');
    const layerOf = (file: string) => deploymentLayers.indexOf(relative(area, file).split('/')[0]!);
    const upward = files(area).flatMap((file) => {
      const inside = importsOf(file)
        .map((name) => resolve(dirname(file), name))
        .filter((path) => path.startsWith(`${area}/`));
      const wrong = inside.filter((path) => layerOf(path) > layerOf(file));
      return wrong.map((path) => `${relative(area, file)} imports ${relative(area, path)}`);
    });
    expect(upward).toEqual([]);
    expect(files(area).filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  it('no folder has too many files', () => {
    // Migrations are history: there is one more with each change of the tables.
    const isCounted = (name: string) => !name.includes('.test.') && !/^\d{4}-/.test(name);
    const entries = readdirSync(source, { recursive: true, withFileTypes: true });
    const counted = entries.filter((entry) => entry.isFile() && isCounted(entry.name));
    const counts = Map.groupBy(counted, ({ parentPath }) => relative(source, parentPath));
    expect([...counts].filter(([, files]) => files.length > mostFiles).map(([name]) => name)).toEqual([]);
  });

  it.each(Object.entries(workspaceMayImport))('%s imports only its allowed packages', (workspace, allowed) => {
    const foreign = files(join(root, workspace, 'src')).flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith('.') && !allowed.test(name))
        .map((name) => `${relative(root, file)} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it('no file imports main.ts or maintenance.ts', () => {
    const importers = files(source).filter((file) =>
      importsOf(file).some((name) => /(^|\/)(main|maintenance)\.ts$/.test(name)),
    );
    expect(importers).toEqual([]);
  });

  it('only boot.ts, main.ts and maintenance.ts read the environment', () => {
    const readers = files(source).filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    expect(readers.map((file) => relative(source, file)).toSorted()).toEqual(['boot.ts', 'main.ts', 'maintenance.ts']);
  });

  // Before a request has an organization there is nothing to bind to: these few look up rows by a secret or a user.
  const unbound: Record<string, string[]> = {
    'areas/access/sessions/store.ts': ['tokens'],
    'areas/access/members/store.ts': ['members'],
    'areas/access/invitations/store.ts': ['invitations'],
    'areas/access/tokens/store.ts': ['tokens'],
    'areas/access/audit/store.ts': ['audit_entries'],
    'areas/access/housekeeping.ts': ['invitations'],
    // Slugs and project numbers are unique per instance.
    'areas/projects/projects/store.ts': ['projects', 'deleted_projects'],
    // Custom domains are unique per instance, and the edge serves those of all organizations.
    'areas/domains/domains/store.ts': ['domains'],
    // Traffic of an edge is recorded for all organizations.
    'areas/domains/traffic/store.ts': ['traffic', 'projects', 'deployments'],
    // The edge of a project, and the owner of a name below a machine's domain, are looked up across organizations.
    'areas/domains/edges/store.ts': ['servers', 'deployments'],
    // The Swarm of this machine belongs to the organizations whose server this machine is.
    'areas/servers/servers/store.ts': ['servers'],
    'areas/domains/free-names-store.ts': ['certificates'],
    // Host names are unique per instance.
    'areas/projects/host-names/store.ts': ['projects'],
    // Looked up by secret, or expired.
    'areas/projects/uploads/store.ts': ['uploads'],
    // Of a project that the engine already holds.
    'areas/projects/variables/store.ts': ['project_variables'],
    // A worker is bound by the fence of its lease, not by a caller's organization.
    'events/event-log.ts': ['deployments'],
    'areas/backups/jobs/store.ts': ['backup_jobs'],
    // The schedule covers all organizations.
    'areas/backups/policies/store.ts': ['backup_policies'],
    'areas/deployments/model/store.ts': ['deployments'],
    'areas/deployments/model/queue.ts': ['deployments'],
    // Workers build for every organization.
    'areas/deployments/workers/build-queue.ts': ['deployments'],
    // Detects that a cloud's deployment id already exists here, in any organization.
    'areas/cloud/deployments/store.ts': ['deployments'],
    // Releases from before resource accounting, of all organizations.
    'areas/deployments/limits/room-store.ts': ['deployments'],
    'areas/deployments/model/stack-store.ts': ['deployments'],
    'areas/deployments/requests/create.ts': ['deployments'],
    'areas/deployments/upkeep/leftovers.ts': ['deployments'],
    // Looked up by the state that a browser returns, or expired.
    'areas/githost/connections/sign-in-store.ts': ['githost_sign_ins'],
    // The host's information about an installation applies to every organization that has it.
    'areas/githost/installations/store.ts': ['githost_installations'],
    // Revokes expired tokens of all organizations.
    'areas/githost/repositories/clone-token-store.ts': ['githost_clone_tokens'],
    // Webhooks name a repository or an installation; the organization has to be looked up.
    'areas/githost/webhooks/hook-store.ts': ['githost_hooks'],
    // Fetching and cleaning up forwarded webhooks covers all organizations.
    'areas/githost/lent/store.ts': ['githost_lent'],
    'areas/cloud/githost/queue-store.ts': ['cloud_queues'],
    // Workers, bound by a lease.
    'areas/githost/webhooks/delivery-store.ts': ['githost_deliveries', 'githost_installations'],
    'areas/projects/links/store.ts': ['project_links'],
    'areas/deployments/requests/commit-status-store.ts': ['commit_statuses'],
    // Domains are unique per instance, and certificates are managed for all organizations.
    'areas/domains/certificates/certificate-names-store.ts': ['domains', 'deployments'],
    'areas/domains/certificates/order-store.ts': ['certificate_orders'],
    'areas/domains/certificates/store.ts': ['certificates'],
    // Adopted containers are tracked per instance, since several organizations may see the same one.
    'areas/migration/adoptions/store.ts': ['adoptions'],
    'areas/deployments/model/originals-store.ts': ['adoptions'],
    // Upkeep covers all organizations.
    'areas/deployments/model/volume-store.ts': ['volumes'],
    'areas/deployments/model/scale.ts': ['projects'],
    'areas/deployments/engine/server-upkeep-lease.ts': ['servers'],
    // The instance owner's destinations, in whatever organization.
    'areas/backups/destinations/store.ts': ['backup_destinations'],
    // The machine's owner stops everything on it.
    'operator/stop.ts': ['deployments'],
    'operator/uninstall.ts': ['servers'],
  };

  it('tenant tables are accessed only through tenant()', () => {
    const direct = new RegExp(
      `(?:selectFrom|updateTable|deleteFrom|insertInto)\\(\\s*'(${tenantTables.join('|')})`,
      'g',
    );
    const found = files(source)
      .map(
        (file) => [relative(source, file), [...readFileSync(file, 'utf8').matchAll(direct)].map((m) => m[1]!)] as const,
      )
      .filter(([file, tables]) => tables.length && !file.startsWith('db/'))
      .filter(([file, tables]) => tables.some((table) => !unbound[file]?.includes(table)));
    expect(found).toEqual([]);
  });

  it('no command is built as a shell string', () => {
    const shell = /import \{[^}]*\bexec(Sync)?\b[^}]*\} from 'node:child_process'|shell:\s*true/;
    expect(files(source).filter((file) => shell.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
