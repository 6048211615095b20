export type File = { path: string; text: string }

/** The listing of a directory, two levels deep. The size of a directory is that of all files beneath it. */
export function renderDirectory(path: string, shownPath: string, files: readonly File[]): string {
  const lines = listChildren(path, files, 1).map(({ size, name }) => `${size}\t${shownPath}/${name}`)
  const header = `Here're the files and directories up to 2 levels deep in ${shownPath}, excluding hidden items and node_modules:`
  return [header, `${formatSize(measureSize(files))}\t${shownPath}`, ...lines].join('\n')
}

type Line = { size: string; name: string }

function listChildren(path: string, files: readonly File[], depth: number): Line[] {
  return [...groupByChild(path, files)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, beneath]) => {
      if (name.startsWith('.') || name === 'node_modules') return []
      const size = formatSize(measureSize(beneath))
      const full = `${path}/${name}`
      if (beneath.some((file) => file.path === full)) return [{ size, name }]
      const inner = depth < 2 ? listChildren(full, beneath, depth + 1) : []
      return [{ size, name: `${name}/` }, ...inner.map((line) => ({ ...line, name: `${name}/${line.name}` }))]
    })
}

function groupByChild(path: string, files: readonly File[]): Map<string, File[]> {
  const children = new Map<string, File[]>()
  for (const file of files) {
    const [name = ''] = file.path.slice(path.length + 1).split('/', 1)
    children.set(name, [...(children.get(name) ?? []), file])
  }
  return children
}

function measureSize(files: readonly File[]): number {
  const encoder = new TextEncoder()
  return files.reduce((sum, { text }) => sum + encoder.encode(text).length, 0)
}

const units = ['B', 'K', 'M', 'G']

function formatSize(bytes: number): string {
  if (bytes === 0) return '0B'
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const size = bytes / 1_024 ** unit
  return `${size % 1 === 0 ? size : size.toFixed(1)}${units[unit]}`
}
