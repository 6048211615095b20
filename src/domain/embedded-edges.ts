/** How many edges are embedded in a record; all of them are paged on their own. */
export const embeddedEdges = 1_000

/** And where a record is one of many in an answer: a few hubs would make most of it. */
export const embeddedEdgesAmongMany = 20
