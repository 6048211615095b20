/** How many of the nearest signatures are looked at, two in five of which may be filtered out before more are. */
export const nearestSearched = 1_000
