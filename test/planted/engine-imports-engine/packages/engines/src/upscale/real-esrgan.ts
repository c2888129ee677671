export const enlarge = (side: number): number => side * 2;
