package com.example.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.history.HistoryChange;
import io.statestore.history.HistoryQuery;
import io.statestore.history.HistoryStream;
import io.statestore.history.StateHistory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

@Component
@ConditionalOnBooleanProperty("statestore.history.enabled")
class QueueHistory {

	private final StateHistory history;

	QueueHistory(StateHistory history) {
		this.history = history;
	}

	/** Returns the changes of an item, its lock, and its result so far. */
	List<String> of(String id) throws InterruptedException {
		List<String> lines = new ArrayList<>();
		try (HistoryStream changes = this.history.changes(HistoryQuery.all())) {
			do {
				HistoryChange change = changes.next(Duration.ofSeconds(1));
				if (change != null && change.key().toUtf8().endsWith('/' + id)) {
					lines.add(change.operation() + " " + change.key().toUtf8() + " by " + change.clientId());
				}
			}
			while (changes.lag() > 0);
		}
		return lines;
	}

}
