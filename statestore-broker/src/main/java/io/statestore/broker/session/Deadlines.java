package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Times at which sessions end, wills are published, and retained messages expire. Part of
 * the state machine.
 */
final class Deadlines {

	/**
	 * Maximum number of deadlines that a change handles, not counting deadlines with the
	 * same time as the last.
	 */
	private static final int MAX_EXPIRED = 500;

	private final TreeSet<Deadline> deadlines = new TreeSet<>(
			Comparator.comparingLong(Deadline::time).thenComparing(Deadline::retained).thenComparing(Deadline::id));

	/** Adds the next deadline of a session without a connection. */
	void add(Session session) {
		add(of(session));
	}

	/** Adds the expiry of a retained message. */
	void add(Message retained) {
		add(of(retained));
	}

	private void add(Deadline deadline) {
		if (deadline.time != Message.NEVER) {
			this.deadlines.add(deadline);
		}
	}

	void remove(Session session) {
		this.deadlines.remove(of(session));
	}

	void remove(Message retained) {
		this.deadlines.remove(of(retained));
	}

	private static Deadline of(Session session) {
		return new Deadline(Math.min(session.end(), session.willTime()), false, session.clientId());
	}

	private static Deadline of(Message retained) {
		return new Deadline(retained.expiry(), true, retained.topic());
	}

	/**
	 * Returns the log time of the first deadline, {@link Message#NEVER} if there is none.
	 */
	long next() {
		return this.deadlines.isEmpty() ? Message.NEVER : this.deadlines.first().time;
	}

	/**
	 * Removes and returns the first deadline if its time has come, otherwise returns
	 * {@code null}.
	 */
	@Nullable Deadline poll(long until) {
		return (next() <= until) ? this.deadlines.pollFirst() : null;
	}

	/**
	 * Returns the deadlines that have passed, in order. Their number is limited, but
	 * deadlines with the same time are returned together.
	 * @param now current log time
	 */
	List<Deadline> due(long now) {
		List<Deadline> due = new ArrayList<>();
		long last = -1;
		for (Deadline deadline : this.deadlines) {
			if (deadline.time > now || due.size() >= MAX_EXPIRED && deadline.time > last) {
				break;
			}
			last = deadline.time;
			due.add(deadline);
		}
		return due;
	}

	/**
	 * A deadline of a session or a retained message.
	 *
	 * @param time log time
	 * @param retained whether it is the expiry of a retained message
	 * @param id topic of the retained message, or client id
	 */
	record Deadline(long time, boolean retained, String id) {
	}

}
