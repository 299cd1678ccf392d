import { Link } from '@tanstack/react-router';
import { sentenceOf } from '../../api.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { toNew } from '../../paths.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { Candidate, Detection } from './candidate.ts';

type Props = {
  detection: Detection;
  candidate: Candidate;
  onPlace: (place: { root?: string; deploys?: 'compose' | undefined }) => void;
};

/** The detected kind of app, the reason, and its services. */
export function DetectionResult({ detection, candidate, onPlace }: Props) {
  const { apps, compose, deploys, services, reasons } = detection;
  const { root } = candidate;
  return (
    <Section title="Detected">
      <div className="grid grid-cols-1 gap-4">
        <Card className="p-5">
          <p className="flex items-center gap-2.5 font-medium">
            <Icon
              name={isKnown(detection) ? 'check' : 'warning'}
              className={isKnown(detection) ? 'text-good' : 'text-warn'}
            />
            {headline(detection)}
          </p>
          {commands(detection).map(([what, command]) => (
            <p key={what} className="mt-1.5 ml-7 text-sm text-muted">
              {what} <code className="font-mono text-ink [overflow-wrap:anywhere]">{command}</code>
            </p>
          ))}
          {reasons.length > 0 && (
            <details open={!isKnown(detection)} className="group mt-3 ml-7 text-sm">
              <summary className="inline-flex list-none items-center gap-1 rounded text-accent [&::-webkit-details-marker]:hidden">
                <Icon name="right" size={14} className="transition-transform group-open:rotate-90" />
                Why
              </summary>
              <ul className="mt-2 grid list-disc gap-1 pl-5 text-muted">
                {reasons.map((reason) => (
                  <li key={reason} className="[overflow-wrap:anywhere]">
                    {reason}
                  </li>
                ))}
              </ul>
            </details>
          )}
          {(apps.length > 1 || root || inFolders(detection)) && (
            <div className="mt-4 max-w-sm">
              <SelectField
                label="App of the repository"
                name="root"
                options={[{ value: '', title: 'The top folder' }, ...optionsOf(apps, root)]}
                value={root ?? ''}
                onChange={(value) => onPlace({ root: value, deploys: undefined })}
              />
            </div>
          )}
          {compose && (deploys === 'app' || candidate.deploys) && (
            <div className="mt-4 max-w-sm">
              <SelectField
                label="Deploy"
                name="deploys"
                options={[
                  { value: 'app', title: 'The app, built from this source' },
                  { value: 'compose', title: `The services of ${compose}` },
                ]}
                value={deploys}
                onChange={(value) => onPlace({ deploys: value === 'compose' ? value : undefined })}
                hint={
                  deploys === 'app'
                    ? `No service of ${compose} is built from this source: ${namesOf(services)}.`
                    : undefined
                }
              />
            </div>
          )}
        </Card>
        {deploys === 'compose' && services.length > 0 && (
          <Table label="Services" rows={services} keyOf={({ name }) => name} columns={serviceColumns} />
        )}
      </div>
    </Section>
  );
}

const namesOf = (services: Detection['services']) => services.map(({ name }) => name).join(', ');

export const isKnown = ({ language, dockerfile, compose, services, outputDirectory }: Detection) =>
  Boolean(language ?? dockerfile ?? (compose && services.length) ?? outputDirectory);

/** No app at the top level, as in an archive with one enclosing folder. */
const inFolders = (detection: Detection) => !isKnown(detection) && detection.apps.length > 0;

function headline(detection: Detection): string {
  const { framework, language, languageVersion, packageManager, dockerfile, compose, deploys, services } = detection;
  const { outputDirectory } = detection;
  if (deploys === 'compose' && !services.length) return `${compose} has no services, or cannot be read`;
  if (deploys === 'compose')
    return `A compose file with ${services.length === 1 ? '1 service' : `${services.length} services`}`;
  if (dockerfile) return `An app with its own ${dockerfile}`;
  const named = [
    framework && framework !== language && framework !== 'node' && titled(framework),
    language && [titled(language), languageVersion].filter(Boolean).join(' '),
    packageManager,
  ];
  const words = named.filter(Boolean).join(', ');
  if (words) return words;
  if (inFolders(detection)) return 'There is no app in the top folder: choose the folder of the app';
  return outputDirectory === null ? 'The kind of app is not known: enter a start command' : 'A static site';
}

const spelled: Record<string, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  php: 'PHP',
  html: 'HTML',
  csharp: 'C#',
  next: 'Next.js',
  nuxt: 'Nuxt',
  sveltekit: 'SvelteKit',
  nestjs: 'NestJS',
  vue: 'Vue',
};
const titled = (word: string): string => spelled[word] ?? word.charAt(0).toUpperCase() + word.slice(1);

const commands = ({ installCommand, buildCommand, startCommand, outputDirectory, deploys }: Detection) =>
  deploys === 'compose'
    ? []
    : (
        [
          ['Install with', installCommand],
          ['Build with', buildCommand],
          ['Start with', startCommand],
          ['Serve the files in', startCommand ? null : outputDirectory],
        ] as const
      ).filter(([, command]) => Boolean(command));

const optionsOf = (apps: Detection['apps'], root: string | undefined) => {
  const known = apps.map(({ name, rootDirectory, framework }) => ({
    value: rootDirectory,
    title: [name, framework && `(${framework})`, rootDirectory !== name && `in ${rootDirectory}`]
      .filter(Boolean)
      .join(' '),
  }));
  return root === undefined || known.some(({ value }) => value === root)
    ? known
    : [...known, { value: root, title: root }];
};

const serviceColumns: Column<Detection['services'][number]>[] = [
  { title: 'Service', place: 'lead', cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    title: 'Image',
    cell: ({ image, build }) => (
      <span className="font-mono text-[0.8125rem]">{build ? `built from ${build.context}` : (image ?? '–')}</span>
    ),
  },
  { title: 'Ports', cell: ({ ports }) => ports.map(({ target }) => target).join(', ') || '–' },
  { title: 'Volumes', cell: ({ volumes }) => volumes.length || '–' },
];

/** The source could not be read. */
export function NotDetected({ candidate, error, retry }: { candidate: Candidate; error: unknown; retry: () => void }) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <Notice kind="danger" alert>
        <p className="font-medium">{candidate.origin} cannot be read</p>
        <p>{sentenceOf(error)}</p>
      </Notice>
      <div className="flex gap-2">
        <Button onClick={retry}>Try again</Button>
        <Link {...toNew({ from: candidate.source.type === 'upload' ? 'folder' : 'git' })} className={buttonLook()}>
          Choose another source
        </Link>
      </div>
    </div>
  );
}
