/** What a mail program, a company or a habit puts below a message. It is the same below every message, so it says nothing new. */

/** A signature has at most so many lines of so many letters. A longer text below a greeting is part of the message. */
const maxLines = 8
const maxLetters = 90

export function removeFooters(text: string): string {
  if (!text.includes('\n')) return text
  const own = cutDevice(cutSignature(removeNotices(text).split('\n'))).join('\n')
  return /\p{L}/u.test(own) ? own : text
}

/** Paragraphs of legal notices; the first paragraph of a text is never one. */
function removeNotices(text: string): string {
  const [first = '', ...others] = text.split(/\n[^\S\n]*(?=\n)/)
  return [
    first,
    ...others.filter((paragraph) => paragraph.length < minNotice || !notice.test(paragraph)),
  ].join('\n')
}
const minNotice = 20
const notice =
  /\b(?:intended recipients?\b|(?:e-?mails?|messages?|communications?|transmissions?) (?:and|including|or|\(including) any (?:attachment|file)|received (?:this|it)?.{0,40}\bin error,? please|(?:e-?mail|message|communication|information).{0,80} intended (?:only|solely|exclusively) for|may be (?:legally )?privileged|before printing this e-?mail|registered (?:office:|in england and wales)|diese (?:e-?mail|nachricht) .{0,40}(?:vertraulich|rechtlich)|irrtümlich erhalten|ce (?:message|courriel|mail) .{0,80}confidentiel|este (?:mensaje|correo) .{0,80}confidencial)/iu

function cutSignature(lines: readonly string[]): string[] {
  const delimiter = lines.findIndex((line) => /^--\s?$/.test(line))
  if (delimiter > 0) return lines.slice(0, delimiter)
  const closing = lines.findLastIndex((line) => closings.test(line))
  const below = lines.slice(closing + 1).filter((line) => line.trim() !== '')
  const isSignature = below.length <= maxLines && below.every(({ length }) => length <= maxLetters)
  return closing > 0 && isSignature ? lines.slice(0, closing) : [...lines]
}
const closings =
  /^\s*(?:(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes)|(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|cheers|(?:many )?thanks(?: again)?,|thank you,|(?:mit )?(?:freundlichen|freundliche|besten|beste|herzliche|herzlichen|viele|liebe) grü(?:ßen?|ssen?)|mfg|(?:bien )?cordialement|(?:un )?saludos?(?: cordial(?:es)?)?|atentamente|met vriendelijke groet(?:en)?|cordiali saluti|atenciosamente|с уважением)\s*[,.!]?\s*$/iu

function cutDevice(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return deviceNote.test(lines[last] ?? '') ? lines.slice(0, last) : lines
}
const deviceNote =
  /^\s*(?:sent (?:from|via|with) .{1,40}|get outlook for .{1,20}|(?:von meinem|gesendet (?:von|mit)) .{1,40}|envoyé (?:de|depuis) .{1,40}|(?:enviado desde|inviato da|verzonden vanaf|verstuurd vanaf) .{1,40})$/i
