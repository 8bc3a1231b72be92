package io.statestore.broker.session;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The effect of a {@link SessionChange}.
 * <p>
 * Internal: not part of the API.
 *
 * @param refused whether the change had no effect because memory is exhausted
 * @param connected the new connection if the change was a {@link SessionChange.Connect},
 * otherwise {@code null}
 * @param unaffected what the change did not affect: filters that could not be subscribed
 * because memory is exhausted, filters without a subscription to end, or the client id
 * without a session to end
 */
public record Applied(boolean refused, @Nullable Connected connected, Set<String> unaffected) {

	static final Applied DONE = new Applied(false, null, Set.of());

	static final Applied REFUSED = new Applied(true, null, Set.of());

	/**
	 * A client's new connection.
	 *
	 * @param present whether the connection continues a session (Session Present)
	 * @param number number of the connection, which the client's later changes contain
	 * @param stored whether the session is stored
	 */
	public record Connected(boolean present, long number, boolean stored) {
	}

}
