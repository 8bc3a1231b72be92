package com.example.queue;

import java.util.Optional;
import java.util.UUID;

import io.statestore.client.StateStoreOperations;

import org.springframework.stereotype.Component;

@Component
class WorkQueue {

	static final String ITEMS = "queue/items/";

	static final String RESULTS = "queue/results/";

	private final StateStoreOperations store;

	WorkQueue(StateStoreOperations store) {
		this.store = store;
	}

	String submit(String task) {
		String id = UUID.randomUUID().toString();
		this.store.set(ITEMS + id, task);
		this.store.set("queue/latest", id);
		return id;
	}

	Optional<String> result(String id) {
		return this.store.getValue(RESULTS + id, String.class);
	}

}
