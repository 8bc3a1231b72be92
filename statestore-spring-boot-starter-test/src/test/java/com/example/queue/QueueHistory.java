package com.example.queue;

import java.util.List;

import io.statestore.client.history.StateHistory;

import org.springframework.stereotype.Component;

@Component
class QueueHistory {

	private final StateHistory history;

	QueueHistory(StateHistory history) {
		this.history = history;
	}

	/** Returns the changes of an item, its lock, and its result so far. */
	List<String> of(String id) {
		return this.history.changes("queue/*/" + id)
			.map((change) -> change.operation() + " " + change.key().toUtf8() + " by " + change.author())
			.toList();
	}

}
