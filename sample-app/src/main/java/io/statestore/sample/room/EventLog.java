package io.statestore.sample.room;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last entries of the event log. Not thread-safe. */
final class EventLog {

	private static final int MAX_ENTRIES = 200;

	private static final Logger logger = LoggerFactory.getLogger(EventLog.class);

	private final Deque<LogEntry> entries = new ArrayDeque<>();

	private long number;

	void add(LogEntry.Kind kind, String text) {
		this.entries.addLast(new LogEntry(++this.number, Instant.now(), kind, text));
		if (this.entries.size() > MAX_ENTRIES) {
			this.entries.removeFirst();
		}
		logger.info("{}", text);
	}

	List<LogEntry> entries() {
		return List.copyOf(this.entries);
	}

}
