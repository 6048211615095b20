export { type Client, createClient } from './client.ts'
export type { Answer, Input, ItemOf, OperationName, PagedName, Schemas } from './core/operations.ts'
export { ConnectionError, isProblem, type Problem, type ProblemCode, ProblemError } from './core/problem.ts'
export type { Body, CallOptions, ClientOptions } from './core/transport.ts'
