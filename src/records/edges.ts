/** How many edges are embedded in a record; all of them are paged on their own. */
export const embeddedEdges = 1_000
