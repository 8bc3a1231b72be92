package io.statestore.broker.crash;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.linearizability.Operation;

/** Everything that the clients of a run have seen. Safe for use by several threads. */
final class Recorder {

	private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();

	private final Queue<Notified> notifications = new ConcurrentLinkedQueue<>();

	private final Queue<String> differentReplies = new ConcurrentLinkedQueue<>();

	private final Queue<String> lostSessions = new ConcurrentLinkedQueue<>();

	private final AtomicInteger answered = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private final AtomicInteger repeated = new AtomicInteger();

	void add(Operation operation) {
		this.operations.add(operation);
		this.answered.incrementAndGet();
	}

	void add(Notified notified) {
		this.notifications.add(notified);
	}

	/** Records that a request was sent again after a restart. */
	void repeated() {
		this.repeated.incrementAndGet();
	}

	/** Records that a request was acknowledged with an error, and without a reply. */
	void failedRequest() {
		this.failed.incrementAndGet();
	}

	/** Records that a repeated request was answered in another way than at first. */
	void differentReply(String description) {
		this.differentReplies.add(description);
	}

	/** Records that the broker did not continue a session. */
	void lostSession(String clientId) {
		this.lostSessions.add(clientId);
	}

	/** Returns the number of operations so far. */
	int count() {
		return this.answered.get();
	}

	int failedRequests() {
		return this.failed.get();
	}

	int repeatedRequests() {
		return this.repeated.get();
	}

	List<Operation> operations() {
		return List.copyOf(this.operations);
	}

	List<Notified> notifications() {
		return List.copyOf(this.notifications);
	}

	Collection<String> differentReplies() {
		return this.differentReplies;
	}

	Collection<String> lostSessions() {
		return this.lostSessions;
	}

}
