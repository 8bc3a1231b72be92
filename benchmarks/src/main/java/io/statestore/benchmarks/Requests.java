package io.statestore.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Requests for random keys. A request is new and in the processor's cache, as if it had
 * just been read from the network; only the store is not in the cache. The value is a
 * part of a larger message, so that a store must copy it.
 */
final class Requests {

	private static final byte[] KEY = "benchmark/key/00000000".getBytes(StandardCharsets.US_ASCII);

	private static final Bytes CORRELATION_DATA = Bytes.wrap(new byte[16]);

	/** Number of keys. */
	final int keys;

	private final Bytes value;

	private final String timestamp;

	/** Log time of the next request. */
	long nanos;

	private long random = 0x9E3779B97F4A7C15L;

	Requests(int keys, int size) {
		this.keys = keys;
		this.value = Bytes.wrap(new byte[size + 32]).slice(16, size + 16);
		this.timestamp = new Version(System.currentTimeMillis(), 0, "benchmark").toPaddedString();
	}

	/**
	 * Returns a random index below the number of keys, in the same sequence in every run
	 * (xorshift; Marsaglia 2003).
	 */
	int nextIndex() {
		this.random ^= this.random << 13;
		this.random ^= this.random >>> 7;
		this.random ^= this.random << 17;
		return (int) (((this.random >>> 32) * this.keys) >>> 32);
	}

	static Bytes key(int index) {
		byte[] key = KEY.clone();
		for (int i = key.length - 1, rest = index; rest > 0; i--, rest /= 10) {
			key[i] = (byte) ('0' + rest % 10);
		}
		return Bytes.wrap(key);
	}

	Bytes value() {
		return this.value;
	}

	LogEntry.Write set(int index, Condition condition, @Nullable Duration expiry) {
		Command.Set command = new Command.Set(key(index), this.value, condition, expiry);
		return new LogEntry.Write(this.nanos, System.currentTimeMillis(), null, command, this.timestamp, null,
				"benchmark", CORRELATION_DATA, 0, null, false);
	}

	Command.Get get(int index) {
		return new Command.Get(key(index));
	}

	/** Returns a machine without limits that remembers no answers. */
	static StateMachine newMachine() {
		StateMachine machine = new StateMachine((key, value, version, author) -> {
		});
		machine.apply(new LogEntry.Start(0, System.currentTimeMillis(), null, 1, Quota.UNLIMITED, 0, null, true));
		return machine;
	}

}
