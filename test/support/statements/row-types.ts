import { globSync } from 'node:fs'
import ts from 'typescript'

/** A declared TypeScript type, in the terms in which a database driver answers. */
export type Shape = {
  /** `string`, `number[]`, `Date` …, or `object` for any other type. */
  name: string
  isNullable: boolean
  /** Whether parsed JSON can be of this type. */
  fitsJson: boolean
}

export type RawSql = {
  /** The file and line of the template. */
  place: string
  /** The template's text around its parameters: what a compiled statement is recognised by. */
  fragments: readonly string[]
  isExecuted: boolean
  /** The columns of the declared row; undefined where no type is given, or one that is no row. */
  row: ReadonlyMap<string, Shape> | undefined
  /** The declared type as that of one value. */
  value: Shape | undefined
}

/** Every template of raw SQL in the product, with the type that its author gave it. */
export function readRawSql(): RawSql[] {
  const files = globSync('src/**/*.ts')
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd())
  const host = ts.createCompilerHost(options)
  // Comments say nothing about types here, and reading them took a fifth of the parsing.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone
  const program = ts.createProgram(files, options, host)
  const checker = program.getTypeChecker()
  const found: RawSql[] = []
  for (const path of files) {
    const source = program.getSourceFile(path)
    if (!source) throw new Error(`${path} is no part of the program`)
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'sql') {
        found.push(readTemplate(node, source, checker))
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

function readTemplate(
  node: ts.TaggedTemplateExpression,
  source: ts.SourceFile,
  checker: ts.TypeChecker,
): RawSql {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
  const [argument] = node.typeArguments ?? []
  const type = argument && checker.getTypeFromTypeNode(argument)
  const value = type && describeType(type, checker)
  return {
    place: `${source.fileName.replace(`${process.cwd()}/`, '')}:${line + 1}`,
    fragments: fragmentsOf(node.template),
    isExecuted: ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'execute',
    row: type && value?.name === 'object' ? columnsOf(type, checker) : undefined,
    value,
  }
}

function fragmentsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
}

function columnsOf(row: ts.Type, checker: ts.TypeChecker): Map<string, Shape> {
  return new Map(
    checker
      .getPropertiesOfType(row)
      .map((property) => [property.name, describeType(checker.getTypeOfSymbol(property), checker)]),
  )
}

function describeType(type: ts.Type, checker: ts.TypeChecker): Shape {
  const name = nameUnion(type, checker)
  return {
    name,
    isNullable: presentMembers(type).length < membersOf(type).length || name === 'unknown',
    fitsJson: fitsJson(type, checker, new Set()),
  }
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type]
}

function presentMembers(type: ts.Type): ts.Type[] {
  return membersOf(type).filter(({ flags }) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) === 0)
}

/** A type that holds arrays of itself, as JSON does, is named no deeper than a column can be. */
function nameUnion(type: ts.Type, checker: ts.TypeChecker, depth = 0): string {
  if (depth > 2) return 'object'
  const names = new Set(presentMembers(type).map((member) => nameType(member, checker, depth)))
  return names.size === 1 ? ([...names][0] ?? 'object') : 'object'
}

const primitives: readonly (readonly [ts.TypeFlags, string])[] = [
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, 'unknown'],
]

function nameType(type: ts.Type, checker: ts.TypeChecker, depth = 0): string {
  for (const [flags, name] of primitives) if (type.flags & flags) return name
  const element = elementOf(type, checker)
  if (element) return `${nameUnion(element, checker, depth + 1)}[]`
  const name = type.getSymbol()?.name
  return name === 'Date' || name === 'Buffer' ? name : 'object'
}

function elementOf(type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined {
  return checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined
}

/** A column answers a date as `Date`, the same in JSON as text. `Date | string` allows both, so it counts as text. */
function withoutTwins(type: ts.UnionType, checker: ts.TypeChecker): ts.Type[] {
  const hasText = type.types.some(({ flags }) => flags & ts.TypeFlags.StringLike)
  return type.types.filter((each) => !hasText || nameType(each, checker) !== 'Date')
}

/** JSON holds no dates and no bytes, at any depth. */
function fitsJson(type: ts.Type, checker: ts.TypeChecker, seen: Set<ts.Type>): boolean {
  if (seen.has(type)) return true
  seen.add(type)
  const name = nameType(type, checker)
  if (type.isUnion()) return withoutTwins(type, checker).every((each) => fitsJson(each, checker, seen))
  if (name === 'Date' || name === 'Buffer') return false
  if (name !== 'object' && !name.endsWith('[]')) return true
  const element = elementOf(type, checker)
  if (element) return fitsJson(element, checker, seen)
  return checker
    .getPropertiesOfType(type)
    .every((property) => fitsJson(checker.getTypeOfSymbol(property), checker, seen))
}
