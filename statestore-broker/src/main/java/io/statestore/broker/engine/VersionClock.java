package io.statestore.broker.engine;

import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The clock that issues the version of each change (protocol section 4). It merges the
 * clock readings in requests, so a version is greater than every version the client has
 * seen. The system clock reading comes from the entry being applied.
 */
final class VersionClock {

	static final String NODE_ID = "StateStore";

	private HybridLogicalClock clock;

	/** Reading of the system clock for the current entry. */
	private long now;

	/** Timestamp of the current request, {@code null} if missing or unusable. */
	private @Nullable Version requested;

	/**
	 * Creates a clock.
	 * @param last a version that all new versions exceed
	 */
	VersionClock(Version last) {
		this.clock = continuing(last);
	}

	private HybridLogicalClock continuing(Version last) {
		return new HybridLogicalClock(new Version(last.wallMillis(), last.counter(), NODE_ID), () -> this.now);
	}

	/** Returns the latest version or merged reading. */
	Version last() {
		return this.clock.last();
	}

	/** Returns the reading of the system clock for the last entry. */
	long wallMillis() {
		return this.now;
	}

	/**
	 * Starts an entry.
	 * @param wallMillis reading of the system clock
	 */
	void begin(long wallMillis) {
		this.now = wallMillis;
		this.requested = null;
	}

	/**
	 * Makes all later versions greater than a reading, no matter how far ahead it is.
	 * @param reading a reading that was already checked, or a version of the same store
	 */
	void merge(Version reading) {
		Version last = last();
		if (reading.wallMillis() > last.wallMillis()
				|| (reading.wallMillis() == last.wallMillis() && reading.counter() > last.counter())) {
			this.clock = continuing(reading);
		}
	}

	/**
	 * Returns a version greater than all earlier versions and the clock readings in the
	 * request.
	 */
	Version tick() {
		Version requested = this.requested;
		return (requested != null) ? this.clock.tickAfter(requested) : this.clock.tick();
	}

	/**
	 * Checks the clock readings of a request, timestamp first, then merges them.
	 * @return the fencing token, or {@code null} if there is none
	 * @throws ProtocolException if a reading is not acceptable; the clock is then
	 * unchanged
	 */
	@Nullable Version receive(LogEntry.Write write) {
		boolean required = write.command().stores();
		Version timestamp = required ? requireTimestamp(write.timestamp()) : timestampIfGood(write.timestamp());
		Version token = fencingToken(write.fencingToken());
		if (timestamp != null) {
			receive(timestamp, required);
		}
		if (token != null) {
			this.clock.receive(token);
		}
		return token;
	}

	private Version requireTimestamp(@Nullable String text) {
		if (text == null) {
			throw new ProtocolException(ErrorReason.MISSING_TIMESTAMP);
		}
		return parse(text, ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
	}

	private @Nullable Version timestampIfGood(@Nullable String text) {
		if (text == null) {
			return null;
		}
		try {
			return parse(text, ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	private @Nullable Version fencingToken(@Nullable String text) {
		return (text != null) ? parse(text, ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE) : null;
	}

	private Version parse(String text, ErrorReason tooFarAhead) {
		Version version = Version.parse(text);
		if (this.clock.isTooFarAhead(version)) {
			throw new ProtocolException(tooFarAhead);
		}
		return version;
	}

	private void receive(Version timestamp, boolean required) {
		try {
			this.clock.receive(timestamp);
			this.requested = timestamp;
		}
		catch (ProtocolException ex) {
			if (required) {
				throw ex;
			}
		}
	}

}
