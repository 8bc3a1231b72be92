package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Function;

import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;
import org.jspecify.annotations.Nullable;

/**
 * Creates the pages of listings ordered by client id. A page's token is its last client
 * id, so a listing never omits a client or session that exists throughout. Creating a
 * page visits all clients or sessions once, and sorts only those on the page.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionListing {

	private static final int MAX_ITEMS = 100;

	private static final int MAX_BYTES = 64 * 1024;

	private SessionListing() {
	}

	/**
	 * Returns a page of sessions. Thread-safe.
	 * @param query the request
	 * @param log the log whose sessions to list
	 * @return the first sessions after the token
	 */
	public static AdministrationPage<StoredSession> page(SessionQuery query, SessionLog log) {
		return page(query.token(), log.sessions().all(), Session::clientId, (each) -> each.describe(log.now()));
	}

	/**
	 * Returns a page. Thread-safe.
	 * @param token the token of the previous page, or {@code null} for the first page
	 * @param all the objects to list
	 * @param clientId returns an object's client id
	 * @param item converts an object to an item in the answer
	 * @return the first items after the token
	 */
	public static <S, T> AdministrationPage<T> page(@Nullable String token, Iterable<S> all,
			Function<S, String> clientId, Function<S, T> item) {
		List<T> page = new ArrayList<>();
		String last = null;
		int bytes = 0;
		for (S each : first(all, Comparator.comparing(clientId), clientId, Objects.requireNonNullElse(token, ""))) {
			if (page.size() == MAX_ITEMS || bytes >= MAX_BYTES) {
				return new AdministrationPage<>(page, last);
			}
			T described = item.apply(each);
			page.add(described);
			last = clientId.apply(each);
			bytes += Administration.encodeItem(Objects.requireNonNull(described)).length;
		}
		return new AdministrationPage<>(page, null);
	}

	/** Returns the first objects after a client id, one more than fits on a page. */
	private static <S> List<S> first(Iterable<S> all, Comparator<S> order, Function<S, String> clientId, String token) {
		PriorityQueue<S> first = new PriorityQueue<>(order.reversed());
		for (S each : all) {
			boolean full = first.size() > MAX_ITEMS;
			if (clientId.apply(each).compareTo(token) > 0 && (!full || order.compare(each, first.element()) < 0)) {
				first.add(each);
				if (full) {
					first.remove();
				}
			}
		}
		return first.stream().sorted(order).toList();
	}

}
