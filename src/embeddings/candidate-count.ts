/**
 * How many of the nearest signatures are examined. Two in five may be filtered out before a wider search is needed.
 */
export const nearestSearched = 1_000
