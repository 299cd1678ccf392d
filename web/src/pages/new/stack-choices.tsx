import type { Schemas } from '@mooring/client';
import { useState } from 'react';
import { useSession } from '../../api.ts';
import { numberIn } from '../../forms/number.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import type { Detection } from './candidate.ts';

/** No service can have this name. */
const noService = '-';

/** The public service and the trust that a new compose stack gets. */
export function useStackChoices(detection: Detection | null) {
  const { services = [], question = null } = detection?.reach ?? {};
  const [service, setService] = useState(question === null ? '' : (services[0]?.service ?? ''));
  const [port, setPort] = useState('');
  const [isTrusted, setIsTrusted] = useState(false);
  const number = numberIn(port.trim());
  const endpoint: Schemas['PublicEndpoint'] = {
    ...(service && { service }),
    ...(number !== undefined && { port: number }),
  };
  return {
    service,
    setService,
    port,
    setPort,
    isTrusted,
    setIsTrusted,
    /** Fields of the new project. */
    project: {
      ...(service === noService
        ? { publicEndpoints: [{ none: true as const }] }
        : Object.keys(endpoint).length > 0 && { publicEndpoints: [endpoint] }),
      ...(isTrusted && { trusted: true }),
    },
  };
}

type Choices = ReturnType<typeof useStackChoices>;

/** Asks what the compose file leaves open. */
export function StackChoices({ detection, choices }: { detection: Detection; choices: Choices }) {
  return (
    <>
      {detection.reach && <PublicService reach={detection.reach} choices={choices} />}
      {detection.access.length > 0 && <Access access={detection.access} choices={choices} />}
    </>
  );
}

function PublicService({ reach, choices }: { reach: NonNullable<Detection['reach']>; choices: Choices }) {
  const { services, question, warning } = reach;
  const { service, setService, port, setPort } = choices;
  if (warning)
    return (
      <Section title="Public service">
        <Notice kind="warn">
          No service of this stack can be reached: none publishes a port for HTTP. If one should be public, add its port
          to <code className="font-mono">ports</code> in the compose file, or choose it in the settings of the project.
        </Notice>
      </Section>
    );
  const usual = services.filter(({ isPublic }) => isPublic);
  const chosen = services.find((each) => each.service === service) ?? usual[0];
  const asDetected = { value: '', title: `As detected: ${usual.map((each) => each.service).join(', ')}` };
  return (
    <Section title="Public service">
      <Card className="grid gap-5 p-5 sm:grid-cols-2">
        {question && <p className="text-sm sm:col-span-2">{question}</p>}
        <SelectField
          label="Service"
          name="publicService"
          options={[
            ...(question === null ? [asDetected] : []),
            ...services.map((each) => ({ value: each.service, title: each.service })),
            { value: noService, title: 'None' },
          ]}
          value={service}
          onChange={setService}
          hint={service === noService ? 'No service gets an address.' : chosen && sentence(chosen)}
        />
        {service !== noService && (
          <TextField
            label="Its port"
            name="publicEndpoints.0.port"
            inputMode="numeric"
            value={port}
            onChange={(event) => setPort(event.target.value)}
            placeholder={chosen?.port ? String(chosen.port) : 'the port of its image'}
            hint="The service must speak HTTP there."
          />
        )}
      </Card>
    </Section>
  );
}

const sentence = ({ reason }: { reason: string }) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;

function Access({ access, choices }: { access: Detection['access']; choices: Choices }) {
  const { user } = useSession();
  return (
    <Section title="Trust">
      <Card className="grid gap-4 p-5">
        <p className="text-sm">
          This stack asks for access to the machine that it runs on. Only a trusted project has it, and everyone who can
          deploy a trusted project can take over the machine.
        </p>
        <AccessList access={access} />
        {user.isInstanceOwner ? (
          <Checkbox checked={choices.isTrusted} onChange={choices.setIsTrusted}>
            Trust this project
          </Checkbox>
        ) : (
          <Notice kind="warn">
            The deployment will be refused until the owner of this instance trusts the project in its settings.
          </Notice>
        )}
      </Card>
    </Section>
  );
}

const AccessList = ({ access }: { access: Detection['access'] }) => (
  <ul className="grid list-disc gap-1.5 pl-5 text-sm text-muted">
    {access.map(({ service, field, file, line, reason }) => (
      <li key={`${file}${line}${field}${reason}`} className="[overflow-wrap:anywhere]">
        <span className="text-ink">
          {service === null ? 'The stack' : `Service ${service}`}, <code className="font-mono">{field}</code>
        </span>{' '}
        ({line === null ? file : `${file}, line ${line}`}): {reason}
      </li>
    ))}
  </ul>
);
