package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;

/**
 * Queued messages that a client has completed, until they are in the log, several at a
 * time. Losing them causes a repetition only. Used on the event loop of the connection.
 */
final class CompletedMessages {

	/** Maximum number of acknowledgments in one change. */
	private static final int MAX = 64;

	/** Time for further acknowledgments. */
	private static final long DELAY_MILLIS = 20;

	private final ClientLink link;

	private final SessionLog log;

	private final long connection;

	private final List<Long> numbers = new ArrayList<>();

	/**
	 * Creates an empty object.
	 * @param link the connection
	 * @param log the log of the sessions
	 * @param connection number of the connection in the log
	 */
	CompletedMessages(ClientLink link, SessionLog log, long connection) {
		this.link = link;
		this.log = log;
		this.connection = connection;
	}

	/** Adds a message by its number in the session. */
	void add(long number) {
		this.numbers.add(number);
		if (this.numbers.size() == MAX) {
			append();
		}
		else if (this.numbers.size() == 1) {
			this.link.context().executor().schedule(this::append, DELAY_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	/** Appends the change to the log. */
	void append() {
		if (!this.numbers.isEmpty()) {
			long[] completed = this.numbers.stream().mapToLong(Long::longValue).toArray();
			this.numbers.clear();
			this.log.append(new SessionChange.Acknowledge(this.link.clientId(), this.connection, false, completed),
					SessionLog.Outcome.NONE);
		}
	}

}
