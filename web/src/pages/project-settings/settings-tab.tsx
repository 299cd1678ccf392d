import { useState } from 'react';
import { numberIn } from '../../forms/number.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { usePermissions } from '../../permissions.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ApplyNotice } from '../projects/apply-notice.tsx';
import { production } from '../projects/environments.ts';
import { useProject } from '../projects/project-layout.tsx';
import { CommandField, commandIn } from './command-field.tsx';
import { DangerZone } from './danger-zone.tsx';
import { SettingsGroup } from './settings-group.tsx';
import { PublicServices } from './public-services.tsx';
import type { SettingsProps } from './save-settings.ts';
import { SourceSettings } from './source-settings.tsx';
import { TrustSettings } from './trust-settings.tsx';

/** All settings of a project, in the order in which a deployment uses them. */
export function SettingsTab() {
  const project = useProject();
  const may = usePermissions();
  const [isChanged, setIsChanged] = useState(false);
  const of = { project, onChanged: () => setIsChanged(true) };
  return (
    <>
      {isChanged && <ApplyNotice projectId={project.id} environment={production} title="Settings were changed" />}
      <General {...of} />
      <SourceSettings {...of} />
      {project.source.type !== 'services' && <Build {...of} />}
      <Start {...of} />
      <PublicServices {...of} />
      <Resources {...of} />
      <Releases {...of} />
      <TrustSettings {...of} />
      {may('project:admin') && <DangerZone project={project} />}
    </>
  );
}

const code = { autoCapitalize: 'none', spellCheck: false } as const;

const General = (of: SettingsProps) => (
  <SettingsGroup {...of} title="General" read={(value) => ({ name: value('name').trim(), slug: value('slug').trim() })}>
    <TextField label="Name" name="name" defaultValue={of.project.name} required />
    <TextField
      label="Short name"
      name="slug"
      defaultValue={of.project.slug}
      hint="Part of its address. The old address stops working with the next deployment."
      {...code}
      required
    />
  </SettingsGroup>
);

const Build = (of: SettingsProps) => (
  <SettingsGroup
    {...of}
    title="Build"
    read={(value) => ({
      rootDirectory: value('rootDirectory').trim() || null,
      outputDirectory: value('outputDirectory').trim() || null,
      installCommand: commandIn(value, 'installCommand'),
      buildCommand: commandIn(value, 'buildCommand'),
    })}
  >
    <TextField
      label="Root folder"
      name="rootDirectory"
      defaultValue={of.project.rootDirectory ?? ''}
      placeholder="the top folder"
      hint="Of the app in the source, for example apps/web."
      {...code}
    />
    <TextField
      label="Output folder"
      name="outputDirectory"
      defaultValue={of.project.outputDirectory ?? ''}
      placeholder="as detected"
      hint="Of a static site, after the build."
      {...code}
    />
    <CommandField label="Install command" name="installCommand" value={of.project.installCommand} />
    <CommandField label="Build command" name="buildCommand" value={of.project.buildCommand} />
  </SettingsGroup>
);

function Start(of: SettingsProps) {
  const { healthCheck, port, releaseCommand, startCommand } = of.project;
  const [type, setType] = useState(healthCheck.type ?? 'http');
  return (
    <SettingsGroup
      {...of}
      title="Start and health check"
      lead="A release gets requests once it has passed its health check. Until then the previous one serves."
      read={(value) => {
        const path = value('healthCheck.path').trim();
        const timeoutSeconds = numberIn(value('healthCheck.timeoutSeconds'));
        return {
          startCommand: commandIn(value, 'startCommand'),
          releaseCommand: commandIn(value, 'releaseCommand'),
          port: numberIn(value('port')) ?? null,
          healthCheck: {
            type,
            ...(type === 'http' && path && { path }),
            ...(timeoutSeconds !== undefined && { timeoutSeconds }),
          },
        };
      }}
    >
      <CommandField label="Start command" name="startCommand" value={startCommand} />
      <CommandField
        label="Release command"
        name="releaseCommand"
        value={releaseCommand}
        hint="Runs once before each release, for migrations."
      />
      <TextField
        label="Port"
        name="port"
        inputMode="numeric"
        defaultValue={port ?? ''}
        placeholder="given in PORT"
        hint="Only for an app that does not read PORT."
      />
      <SelectField
        label="Health check"
        name="type"
        options={[
          { value: 'http', title: 'An HTTP request is answered' },
          { value: 'tcp', title: 'The port accepts connections' },
        ]}
        value={type}
        onChange={setType}
      />
      {type === 'http' && (
        <TextField
          label="Path"
          name="healthCheck.path"
          defaultValue={healthCheck.path ?? ''}
          placeholder="/"
          {...code}
        />
      )}
      <TextField
        label="Timeout in seconds"
        name="healthCheck.timeoutSeconds"
        inputMode="numeric"
        defaultValue={healthCheck.timeoutSeconds ?? ''}
        placeholder="60"
      />
    </SettingsGroup>
  );
}

function Resources(of: SettingsProps) {
  const { memoryMb, cpus, readOnly = false } = of.project.resources;
  const [isReadOnly, setIsReadOnly] = useState(readOnly);
  return (
    <SettingsGroup
      {...of}
      title="Resources"
      lead="Limits for each replica. An app that needs more memory than its limit is restarted."
      read={(value) => {
        const [memory, processors] = [numberIn(value('resources.memoryMb')), numberIn(value('resources.cpus'))];
        return {
          resources: {
            ...(memory !== undefined && { memoryMb: memory }),
            ...(processors !== undefined && { cpus: processors }),
            ...(isReadOnly && { readOnly: true }),
          },
          replicas: numberIn(value('replicas')) ?? 1,
        };
      }}
    >
      <TextField
        label="Memory in MB"
        name="resources.memoryMb"
        inputMode="numeric"
        defaultValue={memoryMb ?? ''}
        placeholder="no limit"
      />
      <TextField
        label="CPUs"
        name="resources.cpus"
        inputMode="decimal"
        defaultValue={cpus ?? ''}
        placeholder="no limit"
      />
      <TextField
        label="Replicas"
        name="replicas"
        inputMode="numeric"
        defaultValue={of.project.replicas}
        hint="Number of replicas, 1 to 50. For services of a compose file see Services."
      />
      <div className="self-center">
        <Checkbox checked={isReadOnly} onChange={setIsReadOnly}>
          Read-only file system, except volumes
        </Checkbox>
      </div>
    </SettingsGroup>
  );
}

function Releases(of: SettingsProps) {
  const { requireApproval, rollbackWindow } = of.project;
  const [asks, setAsks] = useState(requireApproval);
  return (
    <SettingsGroup
      {...of}
      title="Releases"
      read={(value) => ({ rollbackWindow: numberIn(value('rollbackWindow')) ?? 0, requireApproval: asks })}
    >
      <TextField
        label="Releases to keep"
        name="rollbackWindow"
        inputMode="numeric"
        defaultValue={rollbackWindow}
        hint="Earlier releases that you can roll back to, 1 to 50."
      />
      <div className="self-center">
        <Checkbox checked={asks} onChange={setAsks}>
          Ask for approval before each release
        </Checkbox>
      </div>
    </SettingsGroup>
  );
}
