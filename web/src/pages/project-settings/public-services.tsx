import type { Schemas } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activeReleasesQuery } from '../../api.ts';
import { numberIn } from '../../forms/number.ts';
import { TextField } from '../../forms/text-field.tsx';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Icon } from '../../ui/icons.tsx';
import { production } from '../projects/environments.ts';
import { SettingsGroup } from './settings-group.tsx';
import type { SettingsProps } from './save-settings.ts';

type Endpoint = Schemas['PublicEndpoint'];
type Row = { id: number; service: string; port: string; name: string; path: string };

const rowOf = (id: number, { service, port, domain, customDomain, targetPath }: Endpoint = {}): Row => ({
  id,
  service: service ?? '',
  port: port === undefined ? '' : String(port),
  name: customDomain ?? domain ?? '',
  path: targetPath ?? '',
});

/** A name with a dot is a custom domain; others are below the domain of the instance. */
function endpointOf({ service, port, name, path }: Row): Endpoint {
  const number = numberIn(port.trim());
  return {
    ...(service.trim() && { service: service.trim() }),
    ...(number !== undefined && { port: number }),
    ...(name.trim() && (name.includes('.') ? { customDomain: name.trim() } : { domain: name.trim() })),
    ...(path.trim() && { targetPath: path.trim() }),
  };
}

/** Which services of a compose stack are public, at which port and address. */
export function PublicServices(of: SettingsProps) {
  const { publicEndpoints, id } = of.project;
  const [isNone, setIsNone] = useState(() => publicEndpoints.some(({ none }) => none));
  const [rows, setRows] = useState(() =>
    publicEndpoints.filter(({ none }) => !none).map((endpoint, index) => rowOf(index, endpoint)),
  );
  const services = useProductionServices(id);
  if (!services.length && !publicEndpoints.length) return null;
  const change = (row: Row, more: Partial<Row>) =>
    setRows(rows.map((each) => (each.id === row.id ? { ...each, ...more } : each)));
  const next = Math.max(-1, ...rows.map((row) => row.id)) + 1;
  return (
    <SettingsGroup
      {...of}
      title="Public services"
      lead={
        isNone
          ? 'No service has an address. Ports of the machine that the compose file publishes stay open.'
          : rows.length
            ? 'The first service gets the address of the project. Services that are not listed are not public.'
            : 'None is set: services that publish a port are public, or else the one that Mooring considers the main one.'
      }
      read={() => ({
        publicEndpoints: isNone ? [{ none: true }] : rows.map(endpointOf).filter((each) => Object.keys(each).length),
      })}
    >
      <div className="sm:col-span-2">
        <Checkbox checked={isNone} onChange={setIsNone}>
          No service is public
        </Checkbox>
      </div>
      {!isNone && (
        <div className="grid gap-5 sm:col-span-2">
          <datalist id="services-of-release">
            {services.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {rows.map((row, index) => (
            <div
              key={row.id}
              className="grid items-start gap-3 border-b border-line pb-5 last-of-type:border-0 sm:grid-cols-[1fr_8rem_1.4fr_1fr_auto]"
            >
              <TextField
                label="Service"
                name={`publicEndpoints.${index}.service`}
                list="services-of-release"
                value={row.service}
                onChange={({ target }) => change(row, { service: target.value })}
                autoCapitalize="none"
                spellCheck={false}
              />
              <TextField
                label="Port"
                name={`publicEndpoints.${index}.port`}
                inputMode="numeric"
                placeholder="as detected"
                value={row.port}
                onChange={({ target }) => change(row, { port: target.value })}
              />
              <TextField
                label="Name or domain"
                name={`publicEndpoints.${index}.customDomain`}
                placeholder="the usual address"
                value={row.name}
                onChange={({ target }) => change(row, { name: target.value })}
                autoCapitalize="none"
                spellCheck={false}
              />
              <TextField
                label="Path"
                name={`publicEndpoints.${index}.targetPath`}
                placeholder="/"
                value={row.path}
                onChange={({ target }) => change(row, { path: target.value })}
                autoCapitalize="none"
                spellCheck={false}
              />
              <Button
                aria-label={`Remove ${row.service || 'the service'}`}
                onClick={() => setRows(rows.filter((each) => each.id !== row.id))}
                className="justify-self-start sm:mt-[1.65rem]"
              >
                <Icon name="close" size={16} />
              </Button>
            </div>
          ))}
          <Button size="small" onClick={() => setRows([...rows, rowOf(next)])} className="justify-self-start">
            <Icon name="plus" size={16} />
            Add service
          </Button>
        </div>
      )}
    </SettingsGroup>
  );
}

/** The services of the stack that serves production. An app has none: its only service has no planned change. */
function useProductionServices(projectId: string): string[] {
  const { data } = useQuery({ ...activeReleasesQuery(projectId), enabled: usePermissions()('deployment:list') });
  const services = data?.find(({ environment }) => environment === production)?.services ?? [];
  return services.filter(({ change }) => change !== null).map(({ name }) => name);
}
