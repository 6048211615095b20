import type { SpanAttributes, Tracer } from '../kernel/span.ts'

type Statement = { sql: string; durationMs: number; failure?: string | undefined }

/** The text is cut at this length; its beginning identifies the statement. Parameters are never part of it. */
const maxTextLength = 2_000

const verbs = /\b(select|insert|update|delete|begin|commit|rollback|savepoint|listen|notify)\b/i
const targets = {
  insert: /\binsert\s+into\s+"?(\w+)"?/i,
  update: /\bupdate\s+"?(\w+)"?\s+(?:as\s+\w+\s+)?set\b/i,
  delete: /\bdelete\s+from\s+"?(\w+)"?/i,
  select: /\bfrom\s+"?(\w+)"?/i,
} as const

/** Summarises a statement as verb and table. Of several parts, the first write counts, because it is the purpose. */
export function summariseStatement(sql: string): string {
  for (const verb of ['insert', 'update', 'delete'] as const) {
    const target = targets[verb].exec(sql)?.[1]
    if (target !== undefined) return `${verb} ${target}`
  }
  const verb = verbs.exec(sql)?.[1]?.toLowerCase() ?? 'statement'
  const target = verb === 'select' ? targets.select.exec(sql)?.[1] : undefined
  return target === undefined ? verb : `${verb} ${target}`
}

function describeStatement(sql: string): SpanAttributes {
  const summary = summariseStatement(sql)
  const [operation = summary, collection] = summary.split(' ')
  return {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    'db.query.summary': summary,
    'db.query.text': sql.replace(/\s+/g, ' ').trim().slice(0, maxTextLength),
  }
}

/** Returns a listener that records each statement as a child of the current request or run. */
export function traceStatements(tracer: Tracer): (statement: Statement) => void {
  return ({ sql, durationMs, failure }) => {
    const attributes = describeStatement(sql)
    tracer.recordSpan(String(attributes['db.query.summary']), { durationMs, attributes, failure })
  }
}
