/** The answers of the commands and their changes to the text of a file, in the words of the tool's own implementation. */

const maxLines = 999_999
const numberWidth = String(maxLines).length

function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`).join('\n')
}

export function renderText(path: string, text: string, range: readonly number[] | undefined): string {
  const lines = text.split('\n')
  if (lines.length > maxLines) {
    const most = maxLines.toLocaleString('en')
    throw new Error(`File ${path} has too many lines (${lines.length}). Maximum is ${most} lines.`)
  }
  const [from, to] = range?.length === 2 ? range : []
  const start = Math.max(1, from ?? 1)
  const shown = lines.slice(start - 1, to === undefined || to === -1 ? lines.length : to)
  return `Here's the content of ${path} with line numbers:\n${numberLines(shown, start)}`
}

type Edit = { text: string; answer: string }

export function replaceOnce(path: string, text: string, old: string, replacement: string): Edit {
  const lines = text.split('\n')
  const found = old.includes('\n') ? findStarts(text, old) : findLines(lines, old)
  const [line, ...others] = found
  if (line === undefined) {
    throw new Error(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`)
  }
  if (others.length > 0) {
    throw new Error(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${found.join(', ')}. Please ensure it is unique`,
    )
  }
  const edited = text.replace(old, () => replacement)
  const first = Math.max(0, line - 3)
  const snippet = numberLines(edited.split('\n').slice(first, line + 2), first + 1)
  const answer = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`
  return { text: edited, answer }
}

function findLines(lines: readonly string[], old: string): number[] {
  return lines.flatMap((line, index) => (line.includes(old) ? [index + 1] : []))
}

/** The line where each occurrence of a text of several lines begins. */
function findStarts(text: string, old: string): number[] {
  const starts: number[] = []
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) {
    starts.push(text.slice(0, at).split('\n').length)
  }
  return starts
}

export function insertLine(path: string, text: string, line: number, inserted: string): Edit {
  const lines = text.split('\n')
  if (line < 0 || line > lines.length) {
    throw new Error(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    )
  }
  lines.splice(line, 0, inserted.replace(/\n$/, ''))
  return { text: lines.join('\n'), answer: `The file ${path} has been edited.` }
}
