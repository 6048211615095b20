/** One spelling for a name however it was typed, so that whoever says it again finds what it names. */
export function normaliseName(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
}
