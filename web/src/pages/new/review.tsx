import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { client, instanceQuery, useChange } from '../../api.ts';
import { FoldedFields } from '../../forms/folded-fields.tsx';
import { Form, FormActions, formError, type FormValues } from '../../forms/form.tsx';
import { numberIn } from '../../forms/number.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toDeployment, toNew } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { serversQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { variableChanges, newRow, problemIn, VariableRows } from '../variables/variable-rows.tsx';
import { type Candidate, type Detection, detectionQuery } from './candidate.ts';
import { isKnown, NotDetected, DetectionResult } from './detection-result.tsx';
import { StackChoices, useStackChoices } from './stack-choices.tsx';
import { useDeployNew } from './deploy-new.ts';

/** Another folder or branch of the source, or its compose file. */
export type SourceSelection = { root?: string; branch?: string; deploys?: 'compose' | undefined };
type Props = { candidate: Candidate; onPlace: (place: SourceSelection) => void };

/** The detection result, and every setting that can be corrected before the first deployment. */
export function Review({ candidate, onPlace }: Props) {
  const detection = useQuery(detectionQuery(candidate));
  if (detection.isError)
    return <NotDetected candidate={candidate} error={detection.error} retry={() => void detection.refetch()} />;
  if (detection.data === undefined)
    return (
      <Card className="flex items-center gap-3 p-6">
        <Spinner size={18} />
        <p role="status">Reading {candidate.origin}</p>
      </Card>
    );
  return <ReviewForm candidate={candidate} detection={detection.data} onPlace={onPlace} />;
}

type FormProps = Props & { detection: Detection | null };

function ReviewForm({ candidate, detection, onPlace }: FormProps) {
  const navigate = useNavigate();
  const mayDelete = usePermissions()('project:admin');
  const { deploy, discard } = useDeployNew((id) => navigate(toDeployment(id)));
  const startOver = useChange(async () => {
    if (mayDelete) await discard();
    await navigate(toNew());
  });
  const [name, setName] = useState(candidate.name);
  const [serverId, setServerId] = useState('');
  const docker = useMissingDocker({ candidate, detection, serverId });
  const address = useAddress(name.trim(), serverId);
  const [rows, setRows] = useState(() =>
    (detection?.variables ?? []).map(({ key, example }) => newRow(key, { example })),
  );
  const [volumes, setVolumes] = useState(() => new Set(detection?.volumes.map(({ name }) => name)));
  const losses = (detection?.warnings ?? []).filter(
    ({ unlessVariables }) => !unlessVariables.some((key) => key in variableChanges(rows)),
  );
  const choices = useStackChoices(detection);
  const [refused, setRefused] = useState<Error>();
  const submit = (value: FormValues) => {
    const problem = problemIn(rows);
    setRefused(problem ? formError(problem) : undefined);
    if (problem) return;
    deploy.mutate({
      candidate,
      project: {
        name: name.trim(),
        serverId: serverId || null,
        ...(candidate.root && { rootDirectory: candidate.root }),
        ...(detection?.deploys === 'app' && correctionsIn(value)),
        ...choices.project,
      },
      variables: {
        ...variableChanges(rows),
        ...(candidate.deploys &&
          detection?.compose && { COMPOSE_FILE: { value: detection.compose, secret: false, buildTime: false } }),
      },
      volumes: (detection?.volumes ?? []).filter(({ name }) => volumes.has(name)),
    });
  };
  return (
    <Form change={{ ...deploy, error: refused ?? startOver.error ?? deploy.error }} onSubmit={submit}>
      {candidate.leftOut && candidate.leftOut.length > 0 && (
        <Notice>{candidate.leftOut.join(', ')} stayed on your computer. Enter its variables below.</Notice>
      )}
      {docker && <Notice kind="warn">{docker.notice}</Notice>}
      {detection && <DetectionResult detection={detection} candidate={candidate} onPlace={onPlace} />}
      <Section title="Project">
        <Card className="grid gap-5 p-5 sm:grid-cols-2">
          <TextField
            label="Name"
            name="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            hint={address ? `Address: ${address}` : 'The address of the app is made from it.'}
            autoFocus
            required
          />
          {candidate.source.type === 'githost' && (
            <BranchField source={candidate.source} onBranch={(branch) => onPlace({ branch })} />
          )}
          <ServerField value={serverId} onChange={setServerId} />
        </Card>
      </Section>
      {detection?.deploys === 'app' && <Commands detection={detection} />}
      {detection && <StackChoices detection={detection} choices={choices} />}
      <Section title="Variables">
        <Card className="grid gap-4 p-5">
          <p className="text-sm text-muted">
            {rows.length
              ? 'The source names these. Leave empty what the app does not need. '
              : 'Values that the app reads from its environment. '}
            A secret value cannot be read again. A build variable is also set during the build.
          </p>
          <VariableRows rows={rows} onChange={setRows} />
        </Card>
      </Section>
      {detection && detection.volumes.length + losses.length > 0 && (
        <Section title="Volumes">
          <Card className="grid gap-3 p-5">
            <p className="text-sm text-muted">Files outside volumes are lost with the next deployment.</p>
            {losses.map(({ message }) => (
              <Notice key={message} kind="warn">
                {message}
              </Notice>
            ))}
            {detection.volumes.map(({ name, path, reason }) => (
              <div key={name}>
                <Checkbox
                  checked={volumes.has(name)}
                  onChange={(isOn) =>
                    setVolumes(new Set(isOn ? [...volumes, name] : [...volumes].filter((each) => each !== name)))
                  }
                >
                  <span className="font-mono">{path}</span>
                </Checkbox>
                <p className="ml-7 text-sm text-muted">{reason}</p>
              </div>
            ))}
          </Card>
        </Section>
      )}
      <FormActions submit="Deploy" isReady={!docker?.isNeeded}>
        <Button busy={startOver.isPending} onClick={() => startOver.mutate(undefined)}>
          Start over
        </Button>
      </FormActions>
    </Form>
  );
}

/** Servers always have Docker; this machine might not. */
function useMissingDocker({ candidate, detection, serverId }: Omit<FormProps, 'onPlace'> & { serverId: string }) {
  const { data: instance } = useQuery(instanceQuery);
  const usesDocker = candidate.image ?? detection?.deploys === 'compose';
  if (!usesDocker || serverId || instance?.containers !== false) return undefined;
  return detection?.language
    ? {
        isNeeded: false,
        notice: 'This machine has no Docker: the compose file is ignored, and only the app is deployed.',
      }
    : {
        isNeeded: true,
        notice: 'This needs Docker, and this machine has none. Install Docker and restart Mooring, or add a server.',
      };
}

/** The address that a project of this name would get. */
function useAddress(name: string, serverId: string): string | undefined {
  const settled = useDeferredValue(name);
  const query = { name: settled, ...(serverId && { serverId }) };
  const { data } = useQuery({
    queryKey: ['new-address', query],
    queryFn: async () => (await unwrap(client.GET('/api/projects/new-address', { params: { query } }))).data,
    enabled: settled !== '',
    retry: false,
    placeholderData: (before) => before,
  });
  return name ? data?.url : undefined;
}

type GitHostSource = Extract<Candidate['source'], { type: 'githost' }>;

function BranchField({ source, onBranch }: { source: GitHostSource; onBranch: (branch: string) => void }) {
  const { owner, repo, branch = '' } = source;
  const { data = [] } = useQuery({
    queryKey: ['githost', 'branches', owner, repo],
    queryFn: async () =>
      (await unwrap(client.GET('/api/githost/repos/{owner}/{repo}/branches', { params: { path: { owner, repo } } })))
        .data,
  });
  const names = new Set([...data.map(({ name }) => name), ...(branch ? [branch] : [])]);
  return (
    <SelectField
      label="Branch"
      name="branch"
      options={[
        { value: '', title: 'The default branch' },
        ...[...names].map((name) => ({ value: name, title: name })),
      ]}
      value={branch}
      onChange={onBranch}
    />
  );
}

/** Hidden if this machine is the only server. */
function ServerField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const mayChoose = usePermissions()('server:write');
  const servers = useQuery({ ...serversQuery, enabled: mayChoose });
  const others = servers.data?.filter(({ kind }) => kind === 'ssh') ?? [];
  if (!others.length) return null;
  return (
    <SelectField
      label="Runs on"
      name="serverId"
      options={[{ value: '', title: 'This machine' }, ...others.map(({ id, name }) => ({ value: id, title: name }))]}
      value={value}
      onChange={onChange}
    />
  );
}

const fields = [
  ['installCommand', 'Install command'],
  ['buildCommand', 'Build command'],
  ['startCommand', 'Start command'],
  ['releaseCommand', 'Release command'],
  ['outputDirectory', 'Output folder'],
  ['port', 'Port'],
] as const;

/** Empty fields keep the detected command. */
function Commands({ detection }: { detection: Detection }) {
  const shown = detection.outputDirectory === null ? fields.filter(([name]) => name !== 'outputDirectory') : fields;
  return (
    <FoldedFields
      title="Build and start"
      means="Change the commands, the port or the output folder"
      names={shown.map(([name]) => name)}
      startsOpen={!isKnown(detection)}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        {shown.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            name={name}
            placeholder={detection[name] === null ? 'none detected' : String(detection[name])}
            hint={name === 'releaseCommand' ? 'Runs once before each release, for migrations.' : undefined}
            autoCapitalize="none"
            spellCheck={false}
            className="font-mono"
          />
        ))}
      </div>
    </FoldedFields>
  );
}

function correctionsIn(value: FormValues) {
  const given = fields.flatMap(([name]) => {
    const text = value(name).trim();
    return text ? [[name, name === 'port' ? numberIn(text) : text] as const] : [];
  });
  return Object.fromEntries(given);
}
