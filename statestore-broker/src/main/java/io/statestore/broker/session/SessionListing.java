package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;

import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;

/**
 * Creates the pages of a {@link SessionQuery}. The token of a page is its last client id,
 * so a listing never omits a session that exists throughout. A page visits all sessions
 * once, and sorts only those that it contains.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionListing {

	private static final int MAX_SESSIONS = 100;

	private static final int MAX_BYTES = 64 * 1024;

	/** Size of the names and numbers of a session in an answer, in bytes. */
	private static final int OVERHEAD = 256;

	private static final Comparator<Session> ORDER = Comparator.comparing(Session::clientId);

	private SessionListing() {
	}

	/**
	 * Returns a page. May be called by any thread.
	 * @param query the request
	 * @param log the log of the sessions
	 * @return the first sessions behind the token
	 */
	public static AdministrationPage<StoredSession> page(SessionQuery query, SessionLog log) {
		List<Session> sessions = first(log.sessions(), Objects.requireNonNullElse(query.token(), ""));
		List<StoredSession> page = new ArrayList<>();
		int bytes = 0;
		for (Session session : sessions) {
			if (page.size() == MAX_SESSIONS || bytes >= MAX_BYTES) {
				return new AdministrationPage<>(page, page.get(page.size() - 1).client());
			}
			page.add(session.describe(log.now()));
			bytes += OVERHEAD + Bytes.of(session.clientId()).length() + Bytes.of(session.principal()).length();
		}
		return new AdministrationPage<>(page, null);
	}

	/** Returns the first sessions behind a client id, one more than a page contains. */
	private static List<Session> first(Sessions sessions, String token) {
		PriorityQueue<Session> first = new PriorityQueue<>(ORDER.reversed());
		for (Session session : sessions.all()) {
			boolean full = first.size() > MAX_SESSIONS;
			if (session.clientId().compareTo(token) > 0 && (!full || ORDER.compare(session, first.element()) < 0)) {
				first.add(session);
				if (full) {
					first.remove();
				}
			}
		}
		return first.stream().sorted(ORDER).toList();
	}

}
