package io.statestore.broker.server;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The answers given lately, by client id and correlation data, so that a request that is
 * delivered again is not executed again (protocol sections 7 and 10), also after its
 * client has reconnected. Bounded by time, by number and by bytes.
 */
final class RequestMemory {

	static final int MAX_COUNT = 100_000;

	static final long MAX_BYTES = 32L * 1024 * 1024;

	static final Duration MIN_RETENTION = Duration.ofMinutes(1);

	static final Duration MAX_RETENTION = Duration.ofMinutes(5);

	/** For answers that any connection of the client may get again. */
	static final long ANY_CONNECTION = 0;

	private final Map<Key, Remembered> answers = new LinkedHashMap<>();

	private final LongSupplier nanoClock;

	private final long origin;

	private long retentionNanos = MIN_RETENTION.toNanos();

	private long bytes;

	RequestMemory(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		this.origin = nanoClock.getAsLong();
	}

	/**
	 * The answer that a request has got, {@code null} if it has not come before.
	 * @param connection the number of the connection, or {@link #ANY_CONNECTION}
	 */
	@Nullable Answer find(Call call, long connection) {
		Remembered remembered = this.answers.get(Key.of(call));
		if (remembered == null || remembered.connection != connection || remembered.digest != call.digest()
				|| now() - remembered.since > this.retentionNanos) {
			return null;
		}
		return remembered.answer;
	}

	void remember(Call call, long connection, Answer answer) {
		Duration expiry = call.request().messageExpiry();
		if (expiry != null) {
			this.retentionNanos = Math.max(this.retentionNanos,
					(expiry.compareTo(MAX_RETENTION) < 0 ? expiry : MAX_RETENTION).toNanos());
		}
		Key key = Key.of(call);
		// Again at the end, where the youngest are.
		if (this.answers.remove(key) != null) {
			this.bytes -= key.bytes();
		}
		this.answers.put(key.compact(), new Remembered(connection, call.digest(), answer, now()));
		this.bytes += key.bytes();
		forget();
	}

	int size() {
		return this.answers.size();
	}

	private void forget() {
		Iterator<Map.Entry<Key, Remembered>> eldest = this.answers.entrySet().iterator();
		while (eldest.hasNext()) {
			Map.Entry<Key, Remembered> entry = eldest.next();
			if (this.answers.size() <= MAX_COUNT && this.bytes <= MAX_BYTES
					&& now() - entry.getValue().since <= this.retentionNanos) {
				return;
			}
			eldest.remove();
			this.bytes -= entry.getKey().bytes();
		}
	}

	private long now() {
		return this.nanoClock.getAsLong() - this.origin;
	}

	/** Comparable, because clients can choose correlation data with equal hashes. */
	private record Key(String clientId, Bytes correlationData) implements Comparable<Key> {

		static Key of(Call call) {
			return new Key(call.request().connection().clientId(), call.correlationData());
		}

		Key compact() {
			return new Key(this.clientId, this.correlationData.compact());
		}

		/** The client id may outlive its connection; the rest is overhead. */
		long bytes() {
			return clientId().length() + correlationData().length() + 200L;
		}

		@Override
		public int compareTo(Key other) {
			int result = this.correlationData.compareTo(other.correlationData);
			return (result != 0) ? result : this.clientId.compareTo(other.clientId);
		}

	}

	/** The answers are those to writes and observations, which are small. */
	private record Remembered(long connection, int digest, Answer answer, long since) {
	}

}
