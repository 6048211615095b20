/** Returns the nth of ids that are in the order of their numbers. */
export const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
