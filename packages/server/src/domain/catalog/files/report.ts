/** A path in a file: keys and list indexes from the top. */
export type Path = readonly (string | number)[];

/** Adds an error at a path of the current file. */
export type Report = (path: Path, reason: string) => void;
