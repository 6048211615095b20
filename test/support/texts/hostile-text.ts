import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

/** Texts full of what could end a line or a fence, or look like a reference. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029', '\t', '\0', '\u202e'),
      fc.constantFrom('```', '````', '``', '`', '~~~', '\n```\n', '# ', '## What is known', '- ', '\\'),
      fc.constantFrom('[m:', '[m:0197b9a0]', '[ m :', '[\u200bm\u200b:', '[M:', '［ｍ：', '[', 'm', ':', ']'),
      fc.constantFrom('\ud800', '\udc00', '🎉', '\u{e0041}', '"', '{"ref":"m:1"}', 'plain words'),
      fc.string({ unit: anyCharacter }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''))
