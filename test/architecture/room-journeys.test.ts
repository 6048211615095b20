import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { roomJourneys } from '../support/room-journeys.ts'
import { listFiles, root } from './source-files.ts'

/** The database's own tests and those of both queues are part of the contract as a whole. */
const wholeFolders = ['db', 'jobs']

test('every room that sends SQL has a journey that runs on each supported server', () => {
  const rooms = new Set(listFiles('src', '.queries.ts').map((file) => file.split('/')[1] ?? ''))
  const missing = [...rooms].filter((room) => !wholeFolders.includes(room) && !(room in roomJourneys))
  expect(missing).toEqual([])
})

test('every journey is a file of tests', () => {
  expect(Object.values(roomJourneys).filter((file) => !existsSync(join(root, file)))).toEqual([])
})
