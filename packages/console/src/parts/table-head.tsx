interface TableHeadProps {
  /** The name of each column; a column of numbers is aligned to its end. */
  readonly columns: ReadonlyArray<string | { readonly number: string }>;
  /** Names the column of the menus for screen readers. Null: there is none. */
  readonly actions?: string | null;
}

export function TableHead({ columns, actions = null }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th key={column} scope="col">
              {column}
            </th>
          ) : (
            <th key={column.number} scope="col" className="number">
              {column.number}
            </th>
          ),
        )}
        {actions !== null && (
          <th scope="col">
            <span className="hidden">{actions}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
