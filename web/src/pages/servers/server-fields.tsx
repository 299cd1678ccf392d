import { FoldedFields } from '../../forms/folded-fields.tsx';
import { TextField } from '../../forms/text-field.tsx';
import type { Server } from '../../server-queries.ts';
import { exactText } from '../../forms/exact-text.ts';

/** The address and user of a server. */
export function ServerAddressFields({ server }: { server?: Server }) {
  return (
    <>
      <div className="grid items-start gap-5 sm:grid-cols-[1fr_7rem]">
        <TextField
          label="Host"
          name="host"
          placeholder="203.0.113.7"
          hint="Host name or IP address."
          {...exactText}
          defaultValue={server?.host ?? ''}
          required
        />
        <TextField
          label="SSH port"
          name="port"
          type="number"
          min={1}
          max={65_535}
          placeholder="22"
          {...exactText}
          defaultValue={server?.port ?? ''}
        />
      </div>
      <TextField
        label="User"
        name="user"
        hint="root, or a user who can run Docker."
        {...exactText}
        defaultValue={server ? (server.user ?? '') : 'root'}
        required
      />
    </>
  );
}

const edgeNames = ['baseDomain', 'edgePort', 'edgeTlsPort'] as const;

/** The addresses of apps on a server. */
export function EdgeFields({ server }: { server?: Server }) {
  const isUnusual = edgeNames.some((name) => (server?.[name] ?? null) !== null);
  return (
    <FoldedFields
      title="Domain and ports"
      means="Where apps on this server are reached"
      names={edgeNames}
      startsOpen={isUnusual}
    >
      <TextField
        label="Base domain"
        name="baseDomain"
        placeholder="apps.example.com"
        hint="Projects on this server get an address below it. Point *.apps.example.com to the server."
        {...exactText}
        defaultValue={server?.baseDomain ?? ''}
      />
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <PortField label="HTTP port" name="edgePort" usual="80" value={server?.edgePort} />
        <PortField label="HTTPS port" name="edgeTlsPort" usual="443" value={server?.edgeTlsPort} />
      </div>
    </FoldedFields>
  );
}

type PortProps = { label: string; name: string; usual: string; value: number | null | undefined };

const PortField = ({ label, name, usual, value }: PortProps) => (
  <TextField
    label={label}
    name={name}
    type="number"
    min={1}
    max={65_535}
    placeholder={usual}
    {...exactText}
    defaultValue={value ?? ''}
  />
);
