/** Where in a file: keys and list positions from the top. */
export type Path = readonly (string | number)[];

/** Notes an error at a place of the file under judgement. */
export type Report = (path: Path, reason: string) => void;
