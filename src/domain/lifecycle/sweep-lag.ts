/**
 * The sweep writes stored salience as of this long ago. The stored value is then an upper bound of the exact one at
 * every later instant, so a cursor that carries such an instant can still be answered from the index.
 */
export const sweepLagMs = 15 * 60_000

/**
 * A cursor older than this is answered without the index. The difference to the lag allows for clocks that disagree.
 */
export const boundValidMs = 10 * 60_000
