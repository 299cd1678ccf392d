import { useSession } from '../api.ts';
import { type Action, actions, byResource, impliedBy, resourceTitle, withoutImplied } from '../permissions.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { useFieldError, useClearError } from './form.tsx';

type Props = { value: string[]; onChange: (permissions: string[]) => void };

/** A grid of resources and actions, limited to the signed-in person's own permissions. Implied actions are shown as
 * checked. */
export function PermissionField({ value, onChange }: Props) {
  const held = useSession().organization?.permissions ?? [];
  const error = useFieldError('permissions', 'Permissions');
  const forget = useClearError();
  const chosen = byResource(value);
  const change = (permissions: string[]) => {
    forget('permissions');
    onChange(permissions);
  };
  const choose = (resource: string, own: Action[]) =>
    change([
      ...value.filter((each) => !each.startsWith(`${resource}:`)),
      ...own.map((action) => `${resource}:${action}`),
    ]);
  return (
    <fieldset name="permissions" aria-invalid={Boolean(error)} className="min-w-0">
      <legend className="sr-only">Permissions</legend>
      <div className="mb-2 flex gap-1">
        <Button size="small" onClick={() => change(held.filter((each) => /:(list|read)$/.test(each)))}>
          Read everything
        </Button>
        <Button size="small" kind="quiet" onClick={() => change([])}>
          Clear
        </Button>
      </div>
      <div className="overflow-hidden rounded-lg border border-line-strong">
        <table className="w-full table-fixed text-sm">
          <thead className="bg-sunken text-xs text-muted">
            <tr>
              <th scope="col" className="w-2/5 px-3 py-2 text-left font-medium">
                On
              </th>
              {actions.map((action) => (
                <th key={action} scope="col" className="py-2 font-medium capitalize">
                  {action}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {[...byResource(held)].map(([resource, offered]) => (
              <PermissionRow
                key={resource}
                resource={resource}
                offered={offered}
                chosen={chosen.get(resource) ?? []}
                onChange={(own) => choose(resource, own)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {error && (
        <p role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type RowProps = { resource: string; offered: Action[]; chosen: Action[]; onChange: (actions: Action[]) => void };

function PermissionRow({ resource, offered, chosen, onChange }: RowProps) {
  const along = impliedBy(chosen);
  const toggle = (action: Action, on: boolean) =>
    onChange(withoutImplied(on ? [...chosen, action] : chosen.filter((each) => each !== action)));
  return (
    <tr>
      <th scope="row" className="px-3 py-2 text-left font-normal">
        {resourceTitle(resource)}
      </th>
      {actions.map((action) => (
        <td key={action} className="py-2 text-center">
          {offered.includes(action) && (
            <Checkbox
              bare
              checked={chosen.includes(action) || along.has(action)}
              disabled={along.has(action)}
              onChange={(on) => toggle(action, on)}
            >
              {`${resourceTitle(resource)}: ${action}`}
            </Checkbox>
          )}
        </td>
      ))}
    </tr>
  );
}
