import { readFileSync, writeFileSync } from 'node:fs'

/** Writes a file that is made from another, or only says that it is not up to date and which command writes it. */
export function writeOrCheck(path: string, text: string, isCheck: boolean, command: string): void {
  const file = new URL(`../${path}`, import.meta.url)
  if (!isCheck) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path} is not up to date: run ${command}\n`)
    process.exitCode = 1
  }
}
