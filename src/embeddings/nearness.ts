/** How many of the nearest signatures are looked at, half of which may be hidden or filtered out before more are. */
export const nearestSought = 1_000
