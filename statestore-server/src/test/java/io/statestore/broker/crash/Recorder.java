package io.statestore.broker.crash;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.linearizability.Operation;

/** Records what the clients of a run have seen. Thread-safe. */
public final class Recorder {

	private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();

	private final Queue<Notified> notifications = new ConcurrentLinkedQueue<>();

	private final Queue<String> differentReplies = new ConcurrentLinkedQueue<>();

	private final Queue<String> lostSessions = new ConcurrentLinkedQueue<>();

	private final AtomicInteger answered = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private final AtomicInteger repeated = new AtomicInteger();

	/** Records an operation that has ended, or whose outcome stays unknown. */
	public void add(Operation operation) {
		this.operations.add(operation);
		this.answered.incrementAndGet();
	}

	public void add(Notified notified) {
		this.notifications.add(notified);
	}

	/** Records that a request was sent again after a restart. */
	public void repeated() {
		this.repeated.incrementAndGet();
	}

	/** Records that a request was acknowledged with an error and without a reply. */
	public void failedRequest() {
		this.failed.incrementAndGet();
	}

	/** Records that a repeated request got another answer than the first request. */
	public void differentReply(String description) {
		this.differentReplies.add(description);
	}

	/** Records that the broker did not continue a session. */
	void lostSession(String clientId) {
		this.lostSessions.add(clientId);
	}

	public int count() {
		return this.answered.get();
	}

	int failedRequests() {
		return this.failed.get();
	}

	public int repeatedRequests() {
		return this.repeated.get();
	}

	public List<Operation> operations() {
		return List.copyOf(this.operations);
	}

	public List<Notified> notifications() {
		return List.copyOf(this.notifications);
	}

	Collection<String> differentReplies() {
		return this.differentReplies;
	}

	Collection<String> lostSessions() {
		return this.lostSessions;
	}

}
