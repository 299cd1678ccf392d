import type { FoundService } from './found-services.ts';
import { composeLabel } from './platforms.ts';

const conditions = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;
const mostDependencies = 100;

/** Parses the label of Docker Compose: `db:service_healthy:false,cache:service_started:true`. */
export function dependenciesOf({ containers }: FoundService): { service: string; condition: string }[] {
  const text = containers[0].Config.Labels[composeLabel('depends_on')] ?? '';
  return text
    .slice(0, 20_000)
    .split(',')
    .slice(0, mostDependencies)
    .flatMap((each) => {
      const [service = '', condition = ''] = each.trim().split(':');
      const known = conditions.find((one) => one === condition) ?? 'service_started';
      return service ? [{ service, condition: known }] : [];
    });
}
