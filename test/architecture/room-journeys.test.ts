import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { roomJourneys } from '../support/room-journeys.ts'
import { listFiles, readSource, root } from './source-files.ts'

/** The tests of these folders that depend on the server are in the contract, so they need no journey. */
const wholeFolders = ['db', 'jobs']
/** It has an `index.ts`, but it is a mechanism, not a room. */
const mechanism = 'telemetry'

test('every room that sends SQL has a journey that runs on each supported server', () => {
  const rooms = new Set(listFiles('src', '.queries.ts').map((file) => file.split('/')[1] ?? ''))
  const missing = [...rooms].filter((room) => !wholeFolders.includes(room) && !(room in roomJourneys))
  expect(missing).toEqual([])
})

test('every journey is a file of tests', () => {
  expect(
    Object.values(roomJourneys)
      .flat()
      .filter((file) => !existsSync(join(root, file))),
  ).toEqual([])
})

test('docs/architecture.md names every room in its picture and in its table', () => {
  const folders = new Set(listFiles('src', '/index.ts').map((file) => file.split('/')[1] ?? ''))
  const rooms = [...folders].filter((folder) => folder !== mechanism)
  const page = readSource('docs/architecture.md')
  const picture = /```mermaid\n(.*?)```/s.exec(page)?.[1] ?? ''
  expect(rooms.length).toBeGreaterThan(20)
  expect(rooms.filter((room) => !new RegExp(`\\b${room}\\b`).test(picture))).toEqual([])
  expect(rooms.filter((room) => !page.includes(`| \`${room}\``))).toEqual([])
})
