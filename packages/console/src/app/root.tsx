import { Outlet } from '@tanstack/react-router';
import { ToastArea } from '../parts/toast.tsx';
import { LanguageArea } from './language-area.tsx';
import { Reauthentication } from './reauthentication.tsx';

/** `passkeys`: whether people can sign in with them here. */
export function Root({ passkeys = true }: { passkeys?: boolean }) {
  return (
    <LanguageArea>
      <ToastArea>
        <Outlet />
        <Reauthentication passkeys={passkeys} />
      </ToastArea>
    </LanguageArea>
  );
}
