package io.statestore.broker.engine;

import java.util.function.LongSupplier;

import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The clock that issues the version of each change (protocol section 4). It merges the
 * clock readings of requests, so a version is greater than every version the client has
 * seen.
 */
final class VersionClock {

	static final String NODE_ID = "StateStore";

	private final LongSupplier wallClock;

	private HybridLogicalClock clock;

	/** Reading of the system clock for the current request. */
	private long now;

	/** Timestamp of the current request, {@code null} without a usable one. */
	private @Nullable Version requested;

	/**
	 * Creates a clock.
	 * @param last a version that all new versions exceed
	 * @param wallClock milliseconds since 1970; may jump in both directions
	 */
	VersionClock(Version last, LongSupplier wallClock) {
		this.wallClock = wallClock;
		this.clock = new HybridLogicalClock(last, () -> this.now);
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last a version that an earlier store may have issued
	 */
	void startAfter(Version last) {
		if (last.compareTo(this.clock.tick()) > 0) {
			this.clock = new HybridLogicalClock(last, () -> this.now);
		}
	}

	/**
	 * Starts a request or an expiry run. Reads the system clock once, so that all checks
	 * use the same time. Reading it takes longer than most of the work of a request.
	 */
	void begin() {
		this.now = this.wallClock.getAsLong();
		this.requested = null;
	}

	/**
	 * Returns a version greater than all earlier ones and greater than the clock readings
	 * of the request.
	 */
	Version tick() {
		Version requested = this.requested;
		return (requested != null) ? this.clock.tickAfter(requested) : this.clock.tick();
	}

	/**
	 * Checks the clock readings of a request, timestamp first, then merges them.
	 * @return the fencing token, or {@code null} if there is none or the command is not a
	 * write
	 * @throws ProtocolException if a reading is not acceptable. The clock is unchanged
	 */
	@Nullable Version receive(Request<?> request) {
		boolean required = request.command() instanceof Command.Set;
		Version timestamp = required ? requireTimestamp(request.timestamp()) : timestampIfGood(request.timestamp());
		Version token = (request.command() instanceof Command.Write) ? fencingToken(request.fencingToken()) : null;
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
