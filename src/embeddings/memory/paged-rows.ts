import type { VectorPages } from './vector-pages.ts'

/** Rows of one length in bytes, which fill pages one after the other. A row never moves. */
export function createPagedRows(pages: VectorPages, length: number) {
  const perPage = pages.countPerPage(length)
  const taken: number[] = []

  return {
    computeAddress: (place: number): number =>
      (taken[Math.floor(place / perPage)] ?? 0) + (place % perPage) * length,
    /** Takes a page where the next row, at this place, is on a new one. Returns whether there is room. */
    makeRoom: (place: number): boolean => {
      if (place < taken.length * perPage) return true
      const page = pages.take()
      if (page !== undefined) taken.push(page)
      return page !== undefined
    },
    /** The pages of the first `count` rows: the place of the first row of each, its address, and how many rows it has. */
    listPages: (count: number) =>
      taken.map((address, page) => {
        const first = page * perPage
        return { first, address, rows: Math.min(perPage, count - first) }
      }),
    giveBack: (): void => pages.giveBack(taken.splice(0)),
  }
}
