import type { components, paths } from '#api'

/** The named shapes of the API. */
type Shapes = components['schemas']

export type MemoryRecord = Shapes['Record']
export type SeenRecord = Shapes['SeenRecord']
export type RedactedRecord = Shapes['RedactedRecord']
export type AuditEntry = Shapes['AuditEntry']
export type Forecast = Shapes['Forecast']
export type Explanation = Shapes['Explanation']
export type RelationEdge = Shapes['RelationEdge']
export type StoreMetrics = Shapes['StoreMetrics']
export type MaintenanceRun = Shapes['MaintenanceRun']
export type RunChange = Shapes['RunChange']
export type Schedule = Shapes['Schedule']
export type Plan = Shapes['Plan']
export type PlanChange = Shapes['PlanChange']
export type PlanSummary = Shapes['PlanSummary']
export type NewSimulation = Shapes['NewSimulation']
export type SimulatedPoint = Shapes['SimulatedPoint']
export type Policy = Shapes['Policy']
export type Budget = Shapes['Budget']
export type PromptContext = Shapes['PromptContext']
export type RetrieveQuery = Shapes['RetrieveQuery']
export type Retrieval = Shapes['Retrieval']
export type RetrievedNode = Shapes['RetrievedNode']
export type Signals = Shapes['Signals']
export type Suppressed = Shapes['Suppressed']
export type OwnKey = Shapes['OwnKey']
export type Key = Shapes['Key']
export type NewKey = Shapes['NewKey']
export type IssuedKey = Shapes['IssuedKey']
export type Conversation = Shapes['Conversation']
export type ConversationMessage = Shapes['ConversationMessage']
export type RedactedMessage = Shapes['RedactedMessage']
export type EntityRecord = Shapes['EntityRecord']
export type ImportReport = Shapes['ImportReport']
export type ProblemBody = Shapes['Problem']
export type Permission = OwnKey['permissions'][number]

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have an operation for the method. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never
}[keyof paths]

type ContentOf<R> = R extends { content: { 'application/json': infer B } } ? B : undefined
type Answer<O> = O extends { responses: infer R } ? ContentOf<R[keyof R & (200 | 201 | 202 | 204)]> : never

type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined
type Parameters<O, Place extends string> = O extends { parameters: Record<Place, infer P> } ? P : undefined

export type CallOptions = {
  path?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
  /** The version that the change is meant for; another version in the store answers 412. */
  version?: number | undefined
  signal?: AbortSignal | undefined
}

type OptionsOf<O> = Omit<CallOptions, 'path' | 'query' | 'body'> & {
  path?: Parameters<O, 'path'>
  query?: { [K in keyof Parameters<O, 'query'>]?: Parameters<O, 'query'>[K] | undefined }
  body?: BodyOf<O>
}

/** One function for each method: the path decides the types of its parameters and of its answer. */
export type Api = {
  [M in Method]: <P extends PathOf<M>>(
    path: P,
    options?: OptionsOf<paths[P][M]>,
  ) => Promise<Answer<paths[P][M]>>
}
