import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

/** A link in a long list. The router's own links compute their addresses again at every navigation, which takes long for hundreds. */
export function RowLink(props: { path: string; className?: string; children: ReactNode }) {
  const router = useRouter();
  const onClick = (event: MouseEvent) => {
    // A new tab or window is for the browser.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: props.path });
  };
  return (
    <a className={props.className} href={props.path} onClick={onClick}>
      {props.children}
    </a>
  );
}
