export type Labels = Readonly<Record<string, string>>
export type Sample = { labels?: Labels; value: number; suffix?: '_bucket' | '_sum' | '_count' }
export type Family = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

/** The text format of Prometheus, version 0.0.4. */
export function formatExposition(families: readonly Family[]): string {
  return families.map(formatFamily).join('\n')
}

function formatFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${formatLabels(labels)} ${format(value)}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${quote(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function quote(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

function format(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
