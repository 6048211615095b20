/**
 * Capture: turns one piece of evidence into an episode or a task, the entities it names and the fact it states.
 * A rule interprets every capture; a chat model may add to it. All records are written in one transaction.
 * - `planning/` checks the content by its kind, and makes the payload of the episode, the fact or the task from it.
 * - `interpretation/` lists what the evidence mentions and refers to, by rule and with the model.
 * - `facts/` decides what becomes of the fact that the evidence states, and `tasks/` stores reports of tasks.
 * - `sharing/` stores captures that come at the same moment in one transaction.
 * - `notes/` stores a text in plain words as a fact (`/v1/remember`).
 * Not here: facts that follow from many episodes (consolidation/), and changes of stored facts (revision/).
 */

export { captureRoutes } from './capture.routes.ts'
export { createCaptureService } from './capture.service.ts'
export { type ContestingNotes, createContestingNotes } from './notes/contesting-note.service.ts'
export { notesRoutes } from './notes/notes.routes.ts'
export { TextNote } from './notes/notes.schemas.ts'
export { createNotesService, type NotesService } from './notes/notes.service.ts'
export { createRestatingService, isFact, type RestatingService } from './notes/restating.service.ts'
