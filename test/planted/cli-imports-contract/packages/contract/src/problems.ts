export const problems = { not_found: 404 };
