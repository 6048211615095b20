/**
 * How far behind the sweep keeps the stored salience. It is then an upper bound of the exact one at every instant
 * since, so a cursor that carries such an instant can still be answered from the index.
 */
export const sweepLagMs = 15 * 60_000

/** A cursor older than this is answered without it. The difference is what clocks may disagree by. */
export const boundValidMs = 10 * 60_000
