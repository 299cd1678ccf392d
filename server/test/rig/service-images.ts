import { parseCompose, readServiceEntries, ServiceEntry } from '../../src/compose/index.ts';
import type { ComposeProject } from '../../src/compose/project.ts';
import { folderTree } from '../../src/detect/folder-tree.ts';
import { detect } from '../../src/detect/index.ts';
import { contextFolder, type ContextFiles, newDeployment } from '../../src/drivers/images/images-rig.ts';
import type { Images, RegistryCredential } from '../../src/drivers/images/images.ts';
import type { DeploymentVariable } from '../../src/areas/deployments/model/model.ts';
import type { ServiceImage } from '../../src/areas/deployments/model/stack.ts';
import { serviceImageMaker } from '../../src/areas/deployments/build/service-images/service-images.ts';
import type { StepContext } from '../../src/areas/deployments/model/step.ts';

export interface StackOptions {
  variables?: DeploymentVariable[];
  logins?: RegistryCredential[];
  organizationId?: string;
  signal?: AbortSignal;
}

/** One deployment of a source with several services. */
export interface StackRig {
  make: (service: string) => Promise<ServiceImage>;
  /** Lines by service. */
  lines: Record<string, string[]>;
  context: StepContext;
  project: ComposeProject;
}

/** The services come from its `compose.yaml`, or from these fields of a request. `afterwards` changes the source
 * once they were read. */
export async function stackRig(
  images: Images,
  files: ContextFiles,
  {
    entries,
    afterwards,
    ...options
  }: StackOptions & { entries?: object[]; afterwards?: (folder: string) => void } = {},
): Promise<StackRig> {
  const folder = contextFolder(files);
  const project = entries
    ? readServiceEntries(
        'stack',
        entries.map((entry) => ServiceEntry.parse(entry)),
      )
    : await parseCompose(folderTree(folder));
  afterwards?.(folder);
  const context = contextFor(images, options);
  const lines: Record<string, string[]> = {};
  const make = serviceImageMaker(context, { stack: { project }, folder });
  return {
    context,
    lines,
    project,
    make: (name) => {
      const said = (lines[name] ??= []);
      const { signal } = context;
      return make(
        project.services.find((each) => each.name === name)!,
        { signal, log: (line) => said.push(line) },
      );
    },
  };
}

/** The parts of the context that the image build uses. */
function contextFor(
  images: Images,
  { variables = [], logins = [], organizationId, signal }: StackOptions,
): StepContext {
  const id = newDeployment();
  const row = { id, artifactId: id, organizationId: organizationId ?? 'org_1', projectId: 'prj_1' };
  return {
    deployment: row as StepContext['deployment'],
    config: { variables } as StepContext['config'],
    parts: {
      instanceId: 'ins_ours',
      containers: { images, disk: () => Promise.resolve(undefined) },
      detect: (folder: string, root: string) => detect(folderTree(folder), root),
      registryLoginsOf: () => Promise.resolve(logins),
      timeouts: { buildMs: 120_000 },
    } as unknown as StepContext['parts'],
    signal: signal ?? new AbortController().signal,
    checkLease: () => Promise.resolve(),
    log: () => {},
  } as unknown as StepContext;
}
