import ts from 'typescript'

export type Violation = { line: number; what: string }

/** Calls that make a rule depend on when or where it runs; the kernel wraps each of them once. */
const ambient = /^(Date\.now|Math\.random|crypto\.randomUUID|randomUUID|randomBytes|randomInt)$/

/** Finds calls that read the clock, randomness or ids outside the kernel. */
export function findAmbientCalls(text: string): Violation[] {
  if (!/\bDate(\.now|\(\s*\))|\bnew Date\b(?!\()|random/.test(text)) return []
  return findNodes(text, (node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
      return 'new Date()'
    }
    if (!ts.isCallExpression(node)) return undefined
    const callee = node.expression.getText()
    return ambient.test(callee) || callee === 'Date' ? `${callee}()` : undefined
  })
}

/** Finds reads of the environment. */
export function findEnvironmentReads(text: string): Violation[] {
  if (!text.includes('process')) return []
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

/**
 * Finds functions with more lines than the limit, without the lines of nested functions and of mere SQL or object
 * literals.
 */
export function findLongFunctions(text: string, limit: number): Violation[] {
  return findNodes(text, (node, file) => {
    if (!ts.isFunctionLike(node) || countLines(node, file) <= limit) return undefined
    const own = linesOf(node, file)
    const subtract = (inner: ts.Node): void => {
      if (ts.isFunctionLike(inner) || ts.isTemplateLiteral(inner) || ts.isObjectLiteralExpression(inner)) {
        for (const line of [...linesOf(inner, file)].slice(1)) own.delete(line)
      } else {
        ts.forEachChild(inner, subtract)
      }
    }
    ts.forEachChild(node, subtract)
    return own.size > limit ? `a function of ${own.size} lines` : undefined
  })
}

const lineAt = (file: ts.SourceFile, position: number) => file.getLineAndCharacterOfPosition(position).line

function countLines(node: ts.Node, file: ts.SourceFile): number {
  return lineAt(file, node.getEnd()) - lineAt(file, node.getStart(file)) + 1
}

function linesOf(node: ts.Node, file: ts.SourceFile): Set<number> {
  const first = lineAt(file, node.getStart(file))
  return new Set(Array.from({ length: countLines(node, file) }, (_, index) => first + index))
}

/** Finds literals that are spread into another one, which says the same as their members and hides them from type checks. */
export function findSpreadLiterals(text: string): Violation[] {
  if (!/\.\.\.\s*[[({]/.test(text)) return []
  return findNodes(text, (node) => {
    if (!ts.isSpreadAssignment(node) && !ts.isSpreadElement(node)) return undefined
    const expression = removeAssertions(node.expression)
    const isLiteral = ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression)
    return isLiteral ? 'a spread literal' : undefined
  })
}

function removeAssertions(expression: ts.Expression): ts.Expression {
  const isWrapped = ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression)
  return isWrapped ? removeAssertions(expression.expression) : expression
}

/** Finds markers of unfinished work. */
export function findUnfinished(text: string): Violation[] {
  return findLines(text, /\b(TODO|FIXME|XXX|HACK)\b|not implemented/)
}

/** Finds tests that are skipped or run alone, which would silence the rest of the suite. */
export function findSkippedTests(text: string): Violation[] {
  return findLines(text, /\b(it|test|describe|suite)\.(only|skip|todo|fails)\b/)
}

function findLines(text: string, pattern: RegExp): Violation[] {
  return text
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [{ line: index + 1, what: line.trim() }] : []))
}

const parsing = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

/** The last file that was parsed: one rule after the other reads it. */
let parsed = { text: '', file: parse('') }

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('source.ts', text, parsing, true)
}

function findNodes(
  text: string,
  judge: (node: ts.Node, file: ts.SourceFile) => string | undefined,
): Violation[] {
  if (parsed.text !== text) parsed = { text, file: parse(text) }
  const { file } = parsed
  const breaches: Violation[] = []
  const visit = (node: ts.Node): void => {
    const what = judge(node, file)
    if (what) breaches.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return breaches
}
