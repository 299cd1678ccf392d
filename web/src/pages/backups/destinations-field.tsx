import { Link } from '@tanstack/react-router';
import type { Destination } from '../../destination-queries.ts';
import { useFieldError, useClearError } from '../../forms/form.tsx';
import { toDestinations } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';

type Props = { destinations: Destination[] | undefined; value: string[]; onChange: (ids: string[]) => void };

/** Where the archives go: one or several destinations. */
export function DestinationsField({ destinations = [], value, onChange }: Props) {
  const error = useFieldError('destinationIds', 'Destinations');
  const forget = useClearError();
  const toggle = (id: string, on: boolean) => {
    forget('destinationIds');
    onChange([...value.filter((each) => each !== id), ...(on ? [id] : [])]);
  };
  return (
    <fieldset name="destinationIds" className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">Destinations</legend>
      {destinations.length === 0 ? (
        <p className="text-sm text-muted">
          There is none yet.{' '}
          <Link {...toDestinations({ add: true })} className="text-accent underline">
            Add a destination
          </Link>
        </p>
      ) : (
        <ul className="grid grid-cols-1 gap-2.5">
          {destinations.map(({ id, name, isDefault, lastVerifyError }) => (
            <li key={id} className="flex flex-wrap items-center gap-2">
              <Checkbox checked={value.includes(id)} onChange={(on) => toggle(id, on)}>
                {name}
              </Checkbox>
              {isDefault && <Badge>Default</Badge>}
              {lastVerifyError && <Badge kind="danger">Preflight failed</Badge>}
            </li>
          ))}
        </ul>
      )}
      {error && (
        <p role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
