/** The version in package.json. */
export const VERSION = '1.0.0';
