import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { linkOrCopy } from '../../platform/spool.ts';

/**
 * A folder that a child can write to, held by its descriptor. A child may replace its folders by links at any moment; a name
 * looked up from a descriptor cannot lead elsewhere.
 */
export interface EngineFolder {
  /** Creates a folder in it and holds that too. */
  make(name: string): Promise<EngineFolder>;
  /** Adds a file under a name. */
  show(file: { from: string; name: string }): Promise<void>;
  /** Moves a plain file out of the child's reach to `to`. False when there is none of this name. */
  take(file: { name: string; to: string }): Promise<boolean>;
  close(): Promise<void>;
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export async function openEngineFolder(path: string): Promise<EngineFolder> {
  const handle: FileHandle = await open(path, FLAGS);
  const at = (name: string) => `/proc/self/fd/${handle.fd}/${name}`;
  return {
    async make(name) {
      await mkdir(at(name));
      return openEngineFolder(at(name));
    },
    show: ({ from, name }) => linkOrCopy({ from, to: at(name) }),
    async take({ name, to }) {
      // Checked only after the move: before it, the child could still replace it.
      const moved = await rename(at(name), to).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return false;
          throw error;
        },
      );
      if (moved && (await lstat(to)).isFile()) return true;
      await rm(to, { recursive: true, force: true });
      return false;
    },
    close: () => handle.close(),
  };
}
