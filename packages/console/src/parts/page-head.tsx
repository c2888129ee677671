import { type ReactNode, useEffect } from 'react';

/** Names the browser's tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Atelier`;
  }, [title]);
}

/** The head of a page. The title also names the browser's tab. */
export function PageHead(props: {
  title: string;
  titleClass?: string;
  description?: ReactNode;
  actions?: ReactNode;
  inline?: boolean;
}) {
  usePageTitle(props.title);
  return (
    <header className="page-head">
      <div>
        <h1 className={props.titleClass}>{props.title}</h1>
        {props.description !== undefined && (
          <p className={props.inline === true ? 'inline' : undefined}>{props.description}</p>
        )}
      </div>
      {props.actions !== undefined && <div className="actions">{props.actions}</div>}
    </header>
  );
}
