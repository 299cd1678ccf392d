import type { ReactNode } from 'react';
import type { FoundService } from '../../server-queries.ts';
import { limitsText, mountText, portText, routeText } from './found-words.ts';

/** All details of a service, to verify that it is the right one. */
export function FoundDetails({ service }: { service: FoundService }) {
  const { containerName, containerId, digest, command, entrypoint, networks, healthcheck, restartPolicy } = service;
  const rows: [string, ReactNode][] = [
    ['Container', <Mono key="container">{`${containerName} (${containerId.slice(0, 12)})`}</Mono>],
    ['Image', <Mono key="image">{digest ?? service.image}</Mono>],
    ['Entry point', entrypoint && <Mono>{entrypoint.join(' ')}</Mono>],
    ['Command', command && <Mono>{command.join(' ')}</Mono>],
    ['Ports', lines(service.ports.map(portText))],
    ['Volumes', lines(service.mounts.map(mountText))],
    [
      'Networks',
      lines(
        networks.map(({ name, aliases }) =>
          [name, aliases.length && `as ${aliases.join(', ')}`].filter(Boolean).join(' '),
        ),
      ),
    ],
    ['Limits', limitsText(service.limits) || 'None'],
    ['Health check', healthcheck && <Mono>{healthcheck.test.join(' ')}</Mono>],
    ['Restarts', restartPolicy],
    ['Proxy', lines(service.routes.map(routeText))],
    ['Depends on', service.dependsOn.join(', ')],
    ['Variables', service.env.length > 0 && <Variables env={service.env} />],
  ];
  return (
    <dl className="mt-2 grid gap-x-6 gap-y-0.5 rounded-lg bg-sunken px-4 py-3 sm:grid-cols-[auto_1fr] sm:gap-y-1.5">
      {rows
        .filter(([, value]) => Boolean(value))
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="mb-1.5 min-w-0 [overflow-wrap:anywhere] sm:mb-0">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const Mono = ({ children }: { children: ReactNode }) => <code className="font-mono text-[0.8125rem]">{children}</code>;

const lines = (all: string[]): ReactNode =>
  all.length > 0 && (
    <ul>
      {all.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );

/** The API redacts values that look like secrets, but lists their names. */
const Variables = ({ env }: Pick<FoundService, 'env'>) => (
  <ul>
    {env.map(({ key, value }) => (
      <li key={key}>
        <Mono>{key}=</Mono>
        {value === null ? <span className="text-muted">hidden</span> : <Mono>{value}</Mono>}
      </li>
    ))}
  </ul>
);
