import type { Detection, SourceTree } from '../detect.ts';
import { mapKeys } from '../yaml-outline.ts';

// In the order of Docker Compose.
export const composeNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];

export async function findCompose(tree: SourceTree): Promise<Partial<Detection>> {
  const present = new Set(await tree.list(''));
  const name = composeNames.find((each) => present.has(each));
  if (!name) return {};
  const services = mapKeys((await tree.read(name)) ?? '', 'services');
  const count = services.length === 1 ? '1 service' : `${services.length} services`;
  const reason = services.length
    ? `${name}: ${count} (${services.slice(0, 40).join(', ')}${services.length > 40 ? ', ...' : ''})`
    : `${name}: no services in it`;
  return { compose: name, services: services.map((service) => ({ name: service })), reasons: [reason] };
}
