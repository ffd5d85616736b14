// What a request says of its turn: whose it is, its episode, its conversation (RUN-35, run-files.md §8).
import { BackstoryError } from '../model/errors.ts';
import { ChatRetrievalContext, type RunReason } from '../model/retrieval.ts';
import type { Turn } from '../store/run-index.ts';
import { shownValue } from './agent-name.ts';
import { hashOf } from './digest.ts';
import { conversationOf, type TurnPlace } from './evidence.ts';
import { episodeNumber } from './file-rules.ts';
import { RunScope } from './scope.ts';

/** Throws `episode_invalid`, naming the value, for anything but `episode-N`. */
export function turnPlaceOf(context: ChatRetrievalContext): TurnPlace {
  const filters = context.metadataFilters ?? {};
  const value = Object.hasOwn(filters, ChatRetrievalContext.CURRENT_EPISODE_FILTER)
    ? filters[ChatRetrievalContext.CURRENT_EPISODE_FILTER]
    : undefined;
  const episode = value === undefined ? undefined : checkedEpisode(value);
  const id = context.conversationId;
  const conversation = id === undefined ? undefined : conversationOf({ conversation: id });
  return {
    ...(episode === undefined ? {} : { episode }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

function checkedEpisode(value: unknown): number {
  const episode = typeof value === 'string' ? episodeNumber(value) : undefined;
  if (episode !== undefined) return episode;
  throw new BackstoryError(
    'episode_invalid',
    `The current episode is ${shownValue(value)}: it must have the form episode-N.`,
    'N is a decimal number without leading zeros, such as episode-3. Leave the filter out when there is no current episode.',
  );
}

export function turnOf(scope: RunScope, { episode, conversation }: TurnPlace): Turn {
  return { scope, episode, conversation: conversation === undefined ? undefined : hashOf(conversation) };
}

/** What the request lacks, said rather than silently left out (RUN-64). */
export function lackedBy(scope: RunScope, place: TurnPlace, recordFiles: boolean): RunReason[] {
  const reasons: RunReason[] = [];
  if (scope === RunScope.EPISODE && place.episode === undefined) reasons.push('needs_episode');
  const hasBoth = place.episode !== undefined && place.conversation !== undefined;
  if (recordFiles && !hasBoth) reasons.push('needs_episode_and_conversation');
  return reasons;
}
