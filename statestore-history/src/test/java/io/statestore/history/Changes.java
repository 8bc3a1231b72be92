package io.statestore.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Reads changes, and waits for each no longer than it should take. */
final class Changes {

	static final Duration PATIENCE = Duration.ofSeconds(20);

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

	/** Waits until the history has a version, which is shortly after the reply. */
	static void awaitVersion(StateHistory history, @Nullable Version version) {
		assertThat(version).isNotNull();
		await("version " + version).ignoreExceptions().until(() -> history.rebuild().version().compareTo(version) >= 0);
	}

	/** All there is, in a journal of this process. */
	static List<HistoryChange> all(HistoryJournal journal) throws InterruptedException {
		return read(journal.history(), HistoryQuery.all(), (int) journal.size());
	}

}
