// Headline numbers of a section. Those of single ranks stand side by side.

import { format, words } from "../format";
import type { NumberEntry, Section } from "../source/document";
import { rank } from "../state";
import { aboutNumber, Explained, NumberButton } from "./explain";

/** Numbers of one id, in the order in which they come. */
function grouped(numbers: readonly NumberEntry[]): NumberEntry[][] {
  const groups = new Map<string, NumberEntry[]>();
  for (const one of numbers) groups.set(one.id, [...(groups.get(one.id) ?? []), one]);
  return [...groups.values()];
}

/** Ranks that a card has room for one by one. */
const FEW = 4;

/** A number, or that of every rank: one by one if they are few, else from the least to the most. */
export function Card({ numbers, section, title }: { numbers: readonly NumberEntry[]; section: Section; title?: string }) {
  const only = rank.value;
  const mine = numbers.filter((one) => only === null || one.rank === only || one.rank === null || one.rank === undefined);
  const [first] = mine;
  if (!first) return null;
  const known = mine.filter((one) => typeof one.value === "number").sort((a, b) => Number(a.value) - Number(b.value));
  const [least, most] = [known[0], known.at(-1)];
  return (
    <div class="card">
      <dt>{title ?? words(first.id)}</dt>
      <dd>
        {mine.length <= FEW || !least || !most ? (
          mine.map((one, at) => (
            <span class="of-rank" key={at}>
              <NumberButton entry={one} section={section} />
              {mine.length > 1 ? <small>{headings(mine)[at]}</small> : null}
            </span>
          ))
        ) : (
          <span class="of-rank">
            <Explained
              about={() => ({
                ...aboutNumber(first, section),
                title: title ?? words(first.id),
                text: `${format(least.value, least.unit)} to ${format(most.value, most.unit)}`,
                exact: `${mine.length} ranks`,
                inputs: known.toReversed().map((one) => [`rank ${one.rank}`, format(one.value, one.unit)] as const),
              })}
            >
              {format(least.value, least.unit)} – {format(most.value, most.unit)}
            </Explained>
            <small>
              least: rank {least.rank}, most: rank {most.rank}
            </small>
          </span>
        )}
      </dd>
    </div>
  );
}

/** Ranks that a table of numbers has columns for. */
const COLUMNS = 8;

/** The heading of a column: the rank, and which of its recordings if there are several of one rank. */
function headings(numbers: readonly NumberEntry[]): string[] {
  const seen = new Map<unknown, number>();
  return numbers.map((one) => {
    const before = seen.get(one.rank) ?? 0;
    seen.set(one.rank, before + 1);
    return `rank ${one.rank}${before > 0 ? ` (${before + 1})` : ""}`;
  });
}

/** Numbers of some ranks: a row for each number, a column for each rank, and what the number means. */
function ByRank({ groups, section }: { groups: readonly NumberEntry[][]; section: Section }) {
  const longest = groups.reduce((most, group) => (group.length > most.length ? group : most), [] as NumberEntry[]);
  const columns = headings(longest);
  return (
    <div class="wide">
      <table class="by-rank">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">Number</span>
            </th>
            {columns.map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Meaning</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((numbers) => {
            const [first] = numbers;
            const mine = headings(numbers);
            return (
              <tr key={first?.id}>
                <th scope="row">{first ? `${words(first.id)}${first.unit === "%" ? ", share" : ""}` : ""}</th>
                {columns.map((title) => {
                  const entry = numbers[mine.indexOf(title)];
                  return <td key={title}>{entry ? <NumberButton entry={entry} section={section} /> : null}</td>;
                })}
                <td class="meaning">{first?.explain}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** All numbers of a section, or those of some ids. */
export function Numbers({ section, ids }: { section: Section; ids?: readonly string[] }) {
  const only = rank.value;
  const wanted = section.numbers.filter((one) => (!ids || ids.includes(one.id)) && (only === null || typeof one.rank !== "number" || one.rank === only));
  if (wanted.length === 0) return null;
  const groups = grouped(wanted);
  const inTable = groups.filter((numbers) => typeof numbers[0]?.rank === "number" && numbers.length <= COLUMNS);
  const inCards = groups.filter((numbers) => !inTable.includes(numbers));
  return (
    <>
      {inCards.length ? (
        <dl class="cards">
          {inCards.map((numbers) => (
            <Card key={numbers[0]?.id} numbers={numbers} section={section} />
          ))}
        </dl>
      ) : null}
      {inTable.length ? <ByRank groups={inTable} section={section} /> : null}
    </>
  );
}
