import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { useText } from '../text/use-text.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 6_000;

interface Toast {
  readonly id: number;
  readonly message: string;
  readonly tone: 'success' | 'danger';
}

type ShowToast = (message: string, tone?: Toast['tone']) => void;
const ToastContext = createContext<ShowToast>(() => undefined);

export const useToast = (): ShowToast => useContext(ToastContext);

/** Short messages at the corner. Screen readers announce them. */
export function ToastArea({ children }: { children: ReactNode }) {
  const text = useText();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const close = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  const show = useMemo<ShowToast>(
    () =>
      (message, tone = 'success') => {
        lastId.current += 1;
        const id = lastId.current;
        setToasts((shown) => [...shown.slice(-2), { id, message, tone }]);
        setTimeout(() => close(id), SHOWN_MS);
      },
    [close],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, message, tone }) => (
          <div className="toast" data-tone={tone} key={id}>
            <Icon name={tone === 'danger' ? 'failed' : 'succeeded'} />
            <span>{message}</span>
            <button
              className="button"
              data-kind="plain"
              data-shape="icon"
              type="button"
              aria-label={text.actions.close}
              onClick={() => close(id)}
            >
              <Icon name="cross" />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
