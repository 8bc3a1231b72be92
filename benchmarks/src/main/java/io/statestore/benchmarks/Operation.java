package io.statestore.benchmarks;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Operation that a caller repeats. */
enum Operation {

	GET("GET"), SET("SET"), ACQUIRE("SET with expiry (ours if absent or equal)");

	static final String KEY = "benchmark/key";

	static final Duration EXPIRY = Duration.ofSeconds(10);

	private final String text;

	Operation(String text) {
		this.text = text;
	}

	/** Returns the payload of a request, for clients without our codec. */
	byte[] request(int size) {
		Bytes key = Bytes.of(KEY);
		Bytes value = Bytes.wrap(new byte[size]);
		return Commands.encode(switch (this) {
			case GET -> new Command.Get(key);
			case SET -> new Command.Set(key, value, Condition.ALWAYS, null);
			case ACQUIRE -> new Command.Set(key, value, Condition.IF_ABSENT_OR_EQUAL, EXPIRY);
		});
	}

	/** Returns the timestamp that a request must have, or {@code null} for a read. */
	@Nullable String timestamp() {
		return (this == GET) ? null : new Version(System.currentTimeMillis(), 0, "bare").toPaddedString();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
