import type { ReactNode } from 'react';

export type Column<Row> = {
  title: string;
  cell: (row: Row) => ReactNode;
  /** `lead` names the row; `actions` stand at its end without a visible title. */
  place?: 'lead' | 'actions';
};

type Props<Row> = { label: string; rows: Row[]; keyOf: (row: Row) => string; columns: Column<Row>[] };

const cellLook = {
  lead: 'block max-w-full pr-10 sm:table-cell sm:pr-4',
  actions: 'absolute top-3 right-3 sm:static sm:w-px sm:text-right',
  plain: 'mt-2 flex items-baseline justify-between gap-4 text-sm sm:mt-0 sm:table-cell',
};

/** A table; on a narrow screen each row becomes a block in which every value carries its title. */
export function Table<Row>({ label, rows, keyOf, columns }: Props<Row>) {
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      <table className="block w-full sm:table" aria-label={label}>
        <thead className="hidden sm:table-header-group">
          <tr className="text-left text-xs text-muted">
            {columns.map(({ title, place }) => (
              <th key={title} scope="col" className="px-4 py-2.5 font-medium first:pl-5">
                <span className={place === 'actions' ? 'sr-only' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block divide-y divide-line sm:table-row-group sm:border-t sm:border-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="relative block p-4 sm:table-row sm:p-0">
              {columns.map(({ title, cell, place }) => (
                <td key={title} className={`align-middle sm:px-4 sm:py-3 sm:first:pl-5 ${cellLook[place ?? 'plain']}`}>
                  {!place && <span className="text-muted sm:hidden">{title}</span>}
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
