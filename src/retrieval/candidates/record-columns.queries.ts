import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { assistantRoles } from '../../domain/payloads/message-roles.ts'
import { longestLabel, notNames } from '../../domain/words/speaker-label.ts'
import type { DayRange } from '../question/periods/periods.ts'

/** Expressions over a record, which several statements need. */

/**
 * The stored times of a record `r` with the content `c` and the message `m` of an episode. Those of a payload are read as text,
 * because PostgreSQL refuses an offset that a client may write.
 */
export const timeColumns = sql`
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic' and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
`

/** The text of a message. */
const messageText = sql`c.payload #>> '{timeline,0,summary}'`

const head = sql`left(${messageText}, ${sql.lit(longestLabel)})`
const word = "[[:upper:]][[:alpha:]'’.-]*"
/** As `readSpeakerLabel` in domain/words/speaker-label.ts. With limits instead of `*` PostgreSQL takes ten times as long. */
const label = String.raw`^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?(${word}(?: ${word}){0,2}):\s`

/** The name of who wrote the message with the content `c`: some clients write it before the text. */
export const speakerName = sql`coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(${head}, ':') > 0 and ${head} !~ ${sql.lit(`^(?:${notNames}):`)}
    then substring(${head} from ${sql.lit(label)}) end
)`

/** Whether an assistant wrote the message with the content `c`. */
export const isOfAssistant = sql<boolean>`coalesce(
  lower(c.payload #>> '{conversation,role}') in (${sql.join(assistantRoles.map((role) => sql.lit(role)))}), false
)`

/**
 * Instructions that hold from now on, at the beginning of a text, and preferences. With `~*` PostgreSQL takes six times as long.
 */
const guidance = String.raw`^([Pp]lease,? )?([Ff]rom now on|[Gg]oing forward|[Aa]lways|[Nn]ever|[Dd]o(n['’]t| not) ever|([Ww]hen(ever)?|[Ii]f) I ask)\M|\mprefers?\M`

/** A question mark, but not the one inside an address. */
const questionMark = '[?](?![[:alnum:]=&])|[？؟]'

/** Whether the message with the content `c` asks something. */
export const asks = sql<boolean>`coalesce(${messageText} ~ ${sql.lit(questionMark)}, false)`

const question = `[^.!?。！？؟]*(${questionMark})`
/** An English word of the first person. */
const firstPerson = String.raw`\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M`
/** In characters. A longer message is not read: it says something beside its questions. */
const longestQuestion = 500

/**
 * Whether the message with the content `c` mostly asks, says nothing about its writer and has no figure: "Wow! How was the trip?",
 * but not "Were you up until 5 o'clock?".
 */
const onlyAsks = sql<boolean>`coalesce(case when length(${messageText}) <= ${sql.lit(longestQuestion)} then
  2 * length(regexp_replace(${messageText}, ${sql.lit(question)}, '', 'g')) <= length(${messageText})
    and ${messageText} !~ ${sql.lit(`[0-9]|${firstPerson}`)}
end, false)`

/** In characters. A longer message is mostly about something else. */
const longestAboutWriter = 120
/** English words that ask for something without a question mark: "I was wondering if you could help". */
const wish = String.raw`\m([Ww]onder(ing|ed)?|[Rr]ecommend|[Ss]uggest|[Pp]lease|([Ll]et|[Tt]ell|[Hh]elp|[Gg]ive|[Ss]how) (me|us)|([Cc]an|[Cc]ould) you)\M`

/** Whether the message with the content `c` only says something about its writer: "I live in Canada". */
const isAboutWriter = sql<boolean>`(c.payload -> 'conversation' is not null and length(${messageText}) <= ${sql.lit(longestAboutWriter)}
  and ${messageText} ~ ${sql.lit(firstPerson)} and ${messageText} !~ ${sql.lit(wish)} and not ${asks})`

/**
 * Whether the content `c` is an instruction that holds from now on, such as "Always use metric units", a preference, or a message in
 * which its writer says something of themselves. An assistant states none. Only the beginning of a text is read.
 */
const isGuidance = sql<boolean>`(not ${isOfAssistant} and coalesce(
  left(coalesce(${messageText}, c.payload ->> 'predicate'), 300) ~ ${sql.lit(guidance)} or ${isAboutWriter}, false
))`

/** Whether the record `r` with the content `c` is an entity of which only the name and the kind are known. */
const isOnlyName = sql<boolean>`(r.type = 'entity' and c.payload ->> 'summary' is null
  and coalesce(c.payload -> 'aliases', '[]') = '[]' and coalesce(c.payload -> 'identifiers', '[]') = '[]')`

/** The captured JSON of an episode. */
const captured = sql`(c.payload #> '{environment,context,captured,content}')`
const factMembers = ['subject', 'predicate', 'object', 'validity', 'revision_policy'].map((name) =>
  sql.lit(name),
)

/**
 * Whether the episode `r` with the content `c` states a fact and nothing else. The fact is a record of its own. A summary that is longer
 * than the captured JSON says more than the fact.
 */
const statesOnlyFact = sql<boolean>`(r.type = 'episodic' and coalesce(
  case when jsonb_typeof(${captured}) = 'object' then
    ${captured} ?& array['subject', 'predicate', 'object'] and ${captured} - array[${sql.join(factMembers)}] = '{}'
      and jsonb_array_length(c.payload -> 'timeline') = 1 and coalesce(length(${messageText}), 0) <= length(${captured}::text)
      and c.payload -> 'tool_graph' = '[]' and c.payload -> 'artifacts' = '[]'
  end, false
))`

/** The `RecordTraits` of a record `r` with the content `c` and the message `m` of an episode, except `isOfAssistant`. */
export const traitColumns = sql`
  ${isOnlyName} as "isOnlyName", ${statesOnlyFact} as "statesOnlyFact", ${isGuidance} as "isGuidance",
  m.record_id is not null and ${onlyAsks} as "onlyAsks"
`

/**
 * The day of a record `r` with the content `c`, for a search that takes one more day on each side. So it may be coarser than
 * `findRecordTime`: it reads no message, and takes the time of evidence as a client wrote it, in any offset.
 */
export const statedDay = sql`left(coalesce(
  c.payload #>> '{timeline,0,t}', c.payload #>> '{evidence,0,timestamp}',
  to_char(r.created_at at time zone 'utc', 'yyyy-mm-dd')
), 10)`

/** Whether a record `r` is of one of the days. `offset 0` makes PostgreSQL read its day once, and not once for each range. */
export function isOfDays(days: readonly DayRange[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from (
      select ${statedDay} collate "C" as day from contents as c where c.record_id = r.id offset 0
    ) as stated
    join unnest(${days.map(([first]) => first)}::text[], ${days.map(([, last]) => last)}::text[])
      as range (first_day, last_day) on stated.day between range.first_day and range.last_day
  )`
}
