import { type ReactNode, useEffect } from 'react';
import { Icon } from '../parts/icon.tsx';

/** The frame of the pages outside of an account: a narrow column. */
export function Gate(props: { title: string; description?: ReactNode; children?: ReactNode; foot?: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · Atelier`;
  }, [props.title]);
  return (
    <main className="gate" id="main">
      <div className="gate-card">
        <div className="brand">
          <Icon name="mark" />
          <span>Atelier</span>
        </div>
        <header>
          <h1>{props.title}</h1>
          {props.description !== undefined && <p>{props.description}</p>}
        </header>
        {props.children}
      </div>
      {props.foot !== undefined && <p className="gate-foot">{props.foot}</p>}
    </main>
  );
}
