package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of a history, the answer to a {@link HistoryQuery}.
 *
 * @param changes the changes in their order, possibly none
 * @param token the token of the next page, or {@code null} if this is the last one for
 * now
 */
public record HistoryPage(List<StoredChange> changes, @Nullable String token) {

	public HistoryPage {
		changes = List.copyOf(changes);
	}

}
