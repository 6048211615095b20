const ascii = /^[\0-\x7f]*$/

/** Patterns over all letters take three times as long, so a text without accents often has patterns of its own. */
export function isAscii(text: string): boolean {
  return ascii.test(text)
}
