/** Where in a file: keys and list positions from the top. */
export type Path = readonly (string | number)[];

/** Notes a fault at a place of the file under judgement. */
export type Report = (path: Path, reason: string) => void;
