/** Asks the person to sign in again. False: they refused. */
type Reauthenticate = () => Promise<boolean>;

let ask: Reauthenticate = async () => false;

/** The page that can ask sets this. */
export function setReauthenticate(next: Reauthenticate): void {
  ask = next;
}

/** Tries, and if that needs a recent sign-in, asks for one and tries again. */
export async function withRecentSignIn<T>(attempt: () => Promise<T>, isStale: (error: unknown) => boolean): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isStale(error) || !(await ask())) throw error;
    return attempt();
  }
}
