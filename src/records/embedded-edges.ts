/** How many edges a single record shows. All of them can be paged through `/relations`. */
export const embeddedEdges = 1_000

/** How many edges a record shows in a list. With more, a few hubs would fill most of the answer. */
export const embeddedEdgesAmongMany = 20
