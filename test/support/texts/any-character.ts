import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character, for `fc.string({ unit: anyCharacter })`. The unit `binary` of fast-check writes a map of all million
 * characters when it is first used, which takes a second and 100 MB in each worker.
 */
export const anyCharacter = fc.nat({ max: 0x10_ffff - surrogates }).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates),
  (text) => {
    const code = typeof text === 'string' ? (text.codePointAt(0) ?? firstSurrogate) : firstSurrogate
    if (text !== String.fromCodePoint(code) || (code >= firstSurrogate && code < firstSurrogate + surrogates))
      throw new Error('not one character')
    return code < firstSurrogate ? code : code - surrogates
  },
)
