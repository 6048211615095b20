import { createPostingLists } from './posting-lists.ts'
import { createWordBeginnings } from './word-beginnings.ts'

/** About how many entries are in the lists that are cleared at once, which blocks other requests for some milliseconds. */
const droppedAtOnce = 100_000

/** About the bytes that a word takes beside its texts. */
const bytesOfWord = 160

/** The words of a store, and for each the number of the posting list with the texts that contain it. */
export function createWordLists() {
  const lists = new Map<string, number>()
  /** By the number of its list; empty for a word that no text contains any more. */
  const words: string[] = []
  const beginnings = createWordBeginnings()
  const postings = createPostingLists()

  /** Adds a text to the list of a word, and returns the list. */
  function add(word: string, place: number, count: number): number {
    const list = lists.get(word) ?? open(word)
    postings.add(list, place, count)
    return list
  }

  function open(word: string): number {
    const list = postings.open()
    lists.set(word, list)
    words.push(word)
    beginnings.add(word)
    return list
  }

  /** Removes texts from some lists, beginning with `from`. Returns the next list; undefined at the end. */
  function drop(from: number, isDropped: (place: number) => boolean): number | undefined {
    let read = 0
    for (let list = from; list < words.length; list++) {
      if (read >= droppedAtOnce) return list
      read += postings.countEntries(list)
      postings.drop(list, isDropped)
      if (postings.countEntries(list) > 0) continue
      const word = words[list] ?? ''
      lists.delete(word)
      beginnings.remove(word)
      words[list] = ''
    }
    return undefined
  }

  return {
    add,
    drop,
    postings,
    words,
    /** The list of a word; undefined for one that no text contains. */
    find: (word: string) => lists.get(word),
    listWords: beginnings.list,
    get bytes() {
      return postings.bytes + lists.size * bytesOfWord
    },
  }
}
