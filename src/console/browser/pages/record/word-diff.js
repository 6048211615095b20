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
  const young = splitWords(after)
  const start = countSame(old, young)
  const end = countSame(old.slice(start).reverse(), young.slice(start).reverse())
  const oldMiddle = old.slice(start, old.length - end)
  const newMiddle = young.slice(start, young.length - end)
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
 * @param {readonly string[]} young
 * @returns {Piece[]}
 */
function diffMiddle(old, young) {
  const lengthAt = measureCommon(old, young)
  /** @type {Piece[]} */
  const pieces = []
  let i = 0
  let j = 0
  while (i < old.length || j < young.length) {
    const kind = chooseStep(old[i], young[j], lengthAt(i + 1, j) >= lengthAt(i, j + 1))
    pieces.push({ kind, text: (kind === 'added' ? young[j] : old[i]) ?? '' })
    if (kind !== 'added') i++
    if (kind !== 'removed') j++
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
 * @param {readonly string[]} young
 * @returns {(i: number, j: number) => number}
 */
function measureCommon(old, young) {
  const width = young.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  const lengthAt = (/** @type {number} */ i, /** @type {number} */ j) => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === young[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
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
