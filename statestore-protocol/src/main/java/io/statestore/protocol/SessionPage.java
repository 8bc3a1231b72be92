package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of MQTT sessions, the answer to a {@link SessionQuery}.
 *
 * @param sessions the sessions, in the order of their client ids
 * @param token the token of the next page, or {@code null} if this is the last one
 */
public record SessionPage(List<StoredSession> sessions, @Nullable String token) {

	/** Creates a page with a copy of the list. */
	public SessionPage {
		sessions = List.copyOf(sessions);
	}

}
