import ts from 'typescript'

export type Breach = { line: number; what: string }

/** Calls that make a rule depend on when or where it runs; the kernel wraps each of them once. */
const ambient = /^(Date\.now|Math\.random|crypto\.randomUUID|randomUUID|randomBytes|randomInt)$/

export function findAmbientCalls(text: string): Breach[] {
  return findNodes(text, (node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
      return 'new Date()'
    }
    if (!ts.isCallExpression(node)) return undefined
    const callee = node.expression.getText()
    return ambient.test(callee) || callee === 'Date' ? `${callee}()` : undefined
  })
}

export function findEnvironmentReads(text: string): Breach[] {
  return findNodes(text, (node) => {
    const reads =
      (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
      /^process\??(\.env|\[['"]env['"]\])$/.test(node.getText())
    const destructures =
      ts.isVariableDeclaration(node) &&
      node.initializer?.getText() === 'process' &&
      /\benv\b/.test(node.name.getText())
    return reads || destructures ? 'process.env' : undefined
  })
}

export function findLongFunctions(text: string, limit: number): Breach[] {
  return findNodes(text, (node, file) => {
    if (!ts.isFunctionLike(node)) return undefined
    const first = file.getLineAndCharacterOfPosition(node.getStart()).line
    const lines = file.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1
    return lines > limit ? `a function of ${lines} lines` : undefined
  })
}

export function findUnfinished(text: string): Breach[] {
  return findLines(text, /\b(TODO|FIXME|XXX|HACK)\b|not implemented/)
}

/** A test left out or run alone makes the rest of its suite say nothing. */
export function findUnevenTests(text: string): Breach[] {
  return findLines(text, /\b(it|test|describe|suite)\.(only|skip|todo|fails)\b/)
}

function findLines(text: string, pattern: RegExp): Breach[] {
  return text
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [{ line: index + 1, what: line.trim() }] : []))
}

function findNodes(
  text: string,
  judge: (node: ts.Node, file: ts.SourceFile) => string | undefined,
): Breach[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const breaches: Breach[] = []
  const visit = (node: ts.Node): void => {
    const what = judge(node, file)
    if (what) breaches.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return breaches
}
