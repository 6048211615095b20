/** @typedef {{ kind: 'same' | 'added' | 'removed', text: string }} Piece */

/** Beyond this many words in the middle, both texts are shown as a whole: the comparison takes words × words. */
const maxWords = 1_500

/**
 * Compares two texts word by word.
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export function diffWords(before, after) {
  const old = splitWords(before)
  const current = splitWords(after)
  const start = countSame(old, current)
  const end = countSame(old.slice(start).reverse(), current.slice(start).reverse())
  const oldMiddle = old.slice(start, old.length - end)
  const newMiddle = current.slice(start, current.length - end)
  /** @type {Piece[]} */
  const middle =
    oldMiddle.length * newMiddle.length > maxWords * maxWords
      ? [
          { kind: 'removed', text: oldMiddle.join('') },
          { kind: 'added', text: newMiddle.join('') },
        ]
      : diffMiddle(oldMiddle, newMiddle)
  return joinPieces([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ])
}

/** @param {string} text */
function splitWords(text) {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

/** @param {readonly string[]} one @param {readonly string[]} other */
function countSame(one, other) {
  const place = one.findIndex((word, index) => word !== other[index])
  return Math.min(place === -1 ? one.length : place, other.length)
}

/**
 * The unchanged words are the longest common subsequence.
 * @param {readonly string[]} old
 * @param {readonly string[]} current
 * @returns {Piece[]}
 */
function diffMiddle(old, current) {
  const lengthAt = measureCommon(old, current)
  /** @type {Piece[]} */
  const pieces = []
  let oldAt = 0
  let newAt = 0
  while (oldAt < old.length || newAt < current.length) {
    const isOldFirst = lengthAt(oldAt + 1, newAt) >= lengthAt(oldAt, newAt + 1)
    const kind = chooseStep(old[oldAt], current[newAt], isOldFirst)
    pieces.push({ kind, text: (kind === 'added' ? current[newAt] : old[oldAt]) ?? '' })
    if (kind !== 'added') oldAt++
    if (kind !== 'removed') newAt++
  }
  return pieces
}

/**
 * @param {string | undefined} removed
 * @param {string | undefined} added
 * @param {boolean} isOldFirst
 * @returns {Piece['kind']}
 */
function chooseStep(removed, added, isOldFirst) {
  if (removed === added) return 'same'
  if (removed === undefined) return 'added'
  return added === undefined || isOldFirst ? 'removed' : 'added'
}

/**
 * The length of the longest common subsequence of what follows two places.
 * @param {readonly string[]} old
 * @param {readonly string[]} current
 * @returns {(oldAt: number, newAt: number) => number}
 */
function measureCommon(old, current) {
  const width = current.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  const lengthAt = (/** @type {number} */ oldAt, /** @type {number} */ newAt) =>
    lengths[oldAt * width + newAt] ?? 0
  for (let oldAt = old.length - 1; oldAt >= 0; oldAt--)
    for (let newAt = current.length - 1; newAt >= 0; newAt--) {
      const isSame = old[oldAt] === current[newAt]
      const without = Math.max(lengthAt(oldAt + 1, newAt), lengthAt(oldAt, newAt + 1))
      lengths[oldAt * width + newAt] = isSame ? lengthAt(oldAt + 1, newAt + 1) + 1 : without
    }
  return lengthAt
}

/** @param {readonly Piece[]} pieces */
function joinPieces(pieces) {
  /** @type {Piece[]} */
  const joined = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.text === '') continue
    if (last?.kind === piece.kind)
      joined[joined.length - 1] = { kind: last.kind, text: last.text + piece.text }
    else joined.push(piece)
  }
  return joined
}
