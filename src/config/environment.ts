import Type, { type Static } from 'typebox'
import { accessVariables } from './access-variables.ts'
import { apiVariables } from './api-variables.ts'
import { chatVariables } from './chat-variables.ts'
import { embeddingVariables } from './embedding-variables.ts'
import { jobVariables } from './job-variables.ts'
import { monitoringVariables } from './monitoring-variables.ts'
import { recordVariables } from './record-variables.ts'
import { storageVariables } from './storage-variables.ts'

/** The parts of `.env.example`, in their order. */
export const variableGroups = [
  { title: 'API', variables: apiVariables },
  { title: 'Access', variables: accessVariables },
  { title: 'Database and queue', variables: storageVariables },
  { title: 'Logs, metrics and traces', variables: monitoringVariables },
  { title: 'Records', variables: recordVariables },
  { title: 'Jobs', variables: jobVariables },
  { title: 'Chat models', variables: chatVariables },
  { title: 'Vectors', variables: embeddingVariables },
] as const

/** All variables that the product reads. `.env.example` is written from this list, and a test keeps them equal. */
export const environmentSchema = Type.Object({
  ...apiVariables,
  ...accessVariables,
  ...storageVariables,
  ...monitoringVariables,
  ...recordVariables,
  ...jobVariables,
  ...chatVariables,
  ...embeddingVariables,
})

export type Environment = Static<typeof environmentSchema>
