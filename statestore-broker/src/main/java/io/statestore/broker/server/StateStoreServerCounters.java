package io.statestore.broker.server;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/**
 * Counters of a {@link StateStoreServer} since its start. Thread-safe.
 */
final class StateStoreServerCounters {

	/** Names of the commands that are counted separately. */
	private static final List<String> COMMANDS = List.of("SET", "GET", "DEL", "VDEL", "KEYNOTIFY", "SCAN", "REPLACE",
			"INCRBY", "TTL", "PNOTIFY", "other");

	private final Map<String, LongAdder> requests = new LinkedHashMap<>();

	private final Map<ErrorReason, LongAdder> refusals = new EnumMap<>(ErrorReason.class);

	private final LongAdder failed = new LongAdder();

	private final LongAdder replayed = new LongAdder();

	private final LongAdder expired = new LongAdder();

	private final LongAdder refused = new LongAdder();

	private final LongAdder refusedKeys = new LongAdder();

	private final AtomicInteger connections = new AtomicInteger();

	private final AtomicLong keys = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong watchedKeys = new AtomicLong();

	private final AtomicLong replies = new AtomicLong();

	private final AtomicLong replyBytes = new AtomicLong();

	private final AtomicLong evictedReplies = new AtomicLong();

	StateStoreServerCounters() {
		COMMANDS.forEach((command) -> this.requests.put(command, new LongAdder()));
		for (ErrorReason reason : ErrorReason.values()) {
			this.refusals.put(reason, new LongAdder());
		}
	}

	/**
	 * Counts a request.
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 */
	void countRequest(@Nullable Call call) {
		Command command = (call != null) ? call.command() : null;
		increment(this.requests, (command != null) ? Commands.verb(command) : "other");
	}

	/** Counts an error reply. */
	void countRefusal(ErrorReason reason) {
		increment(this.refusals, reason);
	}

	private static <K> void increment(Map<K, LongAdder> counters, K name) {
		Objects.requireNonNull(counters.get(name)).increment();
	}

	void countFailed() {
		this.failed.increment();
	}

	void countReplayed() {
		this.replayed.increment();
	}

	void countExpired() {
		this.expired.increment();
	}

	void countRefused() {
		this.refused.increment();
	}

	/** Counts a write refused because its principal has too many keys. */
	void countRefusedKey() {
		this.refusedKeys.increment();
	}

	/**
	 * Returns how many writes were refused because their principals had too many keys.
	 */
	long refusedKeys() {
		return this.refusedKeys.sum();
	}

	/**
	 * Copies sizes that other threads must not read directly. Called by one thread at a
	 * time.
	 */
	void measure(StateMachine machine, ClientWatches watches, Connections connections) {
		measure(machine, connections.count(), watches.keyCount(), watches.replyCount(), watches.replyBytes());
	}

	/** Copies the sizes of a store that does not serve clients. */
	void measure(StateMachine machine) {
		measure(machine, 0, 0, 0, 0);
	}

	private void measure(StateMachine machine, int connections, int watchedKeys, long replies, long replyBytes) {
		this.connections.setRelease(connections);
		this.keys.setRelease(machine.keyCount());
		this.bytes.setRelease(machine.byteCount());
		this.watchedKeys.setRelease(watchedKeys);
		this.replies.setRelease(machine.replyCount() + replies);
		this.replyBytes.setRelease(machine.replyBytes() + replyBytes);
		this.evictedReplies.setRelease(machine.evictedReplies());
	}

	StoreStatistics statistics(Quota quota, long maxReplyBytes) {
		return new StoreStatistics(this.keys.get(), quota.maxKeys(), this.bytes.get(), quota.maxBytes(),
				this.watchedKeys.get(), this.replies.get(), this.replyBytes.get(), maxReplyBytes,
				this.evictedReplies.get(), this.requests.values().stream().mapToLong(LongAdder::sum).sum(),
				this.failed.sum(), this.expired.sum(), this.replayed.sum(), this.refused.sum(), this.connections.get(),
				sums(this.requests), sums(this.refusals));
	}

	private static <K> Map<K, Long> sums(Map<K, LongAdder> counters) {
		Map<K, Long> sums = new LinkedHashMap<>();
		counters.forEach((name, counter) -> sums.put(name, counter.sum()));
		return Collections.unmodifiableMap(sums);
	}

}
