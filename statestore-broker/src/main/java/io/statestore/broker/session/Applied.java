package io.statestore.broker.session;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The effect of a change.
 * <p>
 * Internal: not part of the API.
 *
 * @param refused whether the change has no effect, because memory is exhausted
 * @param connected the connection of a client that connects, otherwise {@code null}
 * @param unaffected filters that were not subscribed, because memory is exhausted, or
 * that had no subscription to end; or the client id that had no session to end
 */
public record Applied(boolean refused, @Nullable Connected connected, Set<String> unaffected) {

	static final Applied DONE = new Applied(false, null, Set.of());

	static final Applied REFUSED = new Applied(true, null, Set.of());

	/**
	 * A new connection of a client.
	 *
	 * @param present whether it continues a session (Session Present)
	 * @param number number of the connection, which later changes of the client contain
	 * @param stored whether its session is stored
	 */
	public record Connected(boolean present, long number, boolean stored) {
	}

}
