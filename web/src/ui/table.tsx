import type { ReactNode } from 'react';

export type Column<Row> = {
  title: string;
  cell: (row: Row) => ReactNode;
  /** `lead` names the row; `actions` are at its end, without a visible heading. */
  place?: 'lead' | 'actions';
};

type Props<Row> = { label: string; rows: Row[]; keyOf: (row: Row) => string; columns: Column<Row>[] };

const cellLook = {
  // Takes the remaining width and truncates its content instead of widening the table.
  lead: 'block max-w-full pr-10 md:table-cell md:w-full md:max-w-0 md:pr-4',
  actions: 'absolute top-3 right-3 md:static md:w-px md:text-right',
  plain: 'mt-2 flex items-baseline justify-between gap-4 text-sm md:mt-0 md:table-cell md:whitespace-nowrap',
};

/** A table; on a narrow screen each row becomes a block of labelled values. */
export function Table<Row>({ label, rows, keyOf, columns }: Props<Row>) {
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      <table className="block w-full md:table" aria-label={label}>
        <thead className="hidden md:table-header-group">
          <tr className="text-left text-xs text-muted">
            {columns.map(({ title, place }) => (
              <th key={title} scope="col" className="px-4 py-2.5 font-medium whitespace-nowrap first:pl-5">
                <span className={place === 'actions' ? 'sr-only' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block divide-y divide-line md:table-row-group md:border-t md:border-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="relative block p-4 md:table-row md:p-0">
              {columns.map(({ title, cell, place }) => (
                <td key={title} className={`align-middle md:px-4 md:py-3 md:first:pl-5 ${cellLook[place ?? 'plain']}`}>
                  {!place && <span className="text-muted md:hidden">{title}</span>}
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
