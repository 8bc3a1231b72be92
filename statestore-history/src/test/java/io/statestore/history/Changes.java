package io.statestore.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Reads changes, and waits for each no longer than it should take. */
final class Changes {

	static final Duration PATIENCE = Duration.ofSeconds(20);

	/** Waits until a journal has a change, which the broker does not wait for. */
	static void awaitWritten(HistoryJournal journal, Version version) {
		await("the journal").atMost(PATIENCE).until(() -> {
			Version last = journal.last();
			return last != null && last.compareTo(version) >= 0;
		});
	}

	private Changes() {
	}

	static HistoryChange next(HistoryStream stream) throws InterruptedException {
		HistoryChange change = stream.next(PATIENCE);
		assertThat(change).as("a change within " + PATIENCE).isNotNull();
		return change;
	}

	static List<HistoryChange> read(StateHistory history, HistoryQuery query, int count) throws InterruptedException {
		try (HistoryStream stream = history.changes(query)) {
			List<HistoryChange> changes = new ArrayList<>();
			while (changes.size() < count) {
				changes.add(next(stream));
			}
			return changes;
		}
	}

	/** All there is, in a journal of this process. */
	static List<HistoryChange> all(HistoryJournal journal) throws InterruptedException {
		return read(journal.history(), HistoryQuery.all(), (int) journal.size());
	}

}
