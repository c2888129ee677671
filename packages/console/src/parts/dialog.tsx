import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../text/use-text.ts';

export interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** The label of the button that submits the form. */
  readonly action: string;
  readonly actionKind?: 'primary' | 'danger';
  readonly actionDisabled?: boolean;
  readonly busy?: boolean;
  readonly cancel?: string;
  onSubmit(): void;
  onClose(): void;
}

/** A modal form. The browser traps the focus, closes on Escape and returns the focus to where it was. */
export function Dialog(props: DialogProps) {
  const text = useText();
  const ref = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (props.busy !== true) props.onSubmit();
  };
  return (
    <dialog className="dialog" ref={ref} aria-labelledby={title} onCancel={props.onClose}>
      <form onSubmit={submit}>
        <header>
          <h2 id={title}>{props.title}</h2>
          {props.description !== undefined && <p>{props.description}</p>}
        </header>
        <div className="body">{props.children}</div>
        <footer>
          <button className="button" type="button" onClick={props.onClose}>
            {props.cancel ?? text.actions.cancel}
          </button>
          <button
            className="button"
            data-kind={props.actionKind ?? 'primary'}
            type="submit"
            disabled={props.busy === true || props.actionDisabled === true}
          >
            {props.busy === true ? text.actions.working : props.action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
