package io.statestore.broker.engine;

import java.util.function.LongSupplier;

import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Clock that assigns the versions of changes (protocol section 4). It merges the timestamp
 * and the fencing token of each request, so that a version exceeds all versions that the
 * client has seen. Not thread-safe.
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
	 * @param last version that all versions of this clock exceed
	 * @param wallClock milliseconds since 1970; may jump
	 */
	VersionClock(Version last, LongSupplier wallClock) {
		this.wallClock = wallClock;
		this.clock = new HybridLogicalClock(last, () -> this.now);
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last upper limit of the versions of earlier engines of the same store
	 */
	void startAfter(Version last) {
		if (last.compareTo(this.clock.tick()) > 0) {
			this.clock = new HybridLogicalClock(last, () -> this.now);
		}
	}

	/**
	 * Begins a request or an expiry run. Reads the system clock once, because all checks
	 * must use the same time, and reading it takes longer than most of a request.
	 */
	void begin() {
		this.now = this.wallClock.getAsLong();
		this.requested = null;
	}

	/**
	 * Returns a version greater than all earlier ones, and greater than the timestamp and
	 * the token of the request.
	 */
	Version tick() {
		Version requested = this.requested;
		return (requested != null) ? this.clock.tickAfter(requested) : this.clock.tick();
	}

	/**
	 * Checks the timestamp and the fencing token of a request, and then merges both.
	 * @return the fencing token, {@code null} if there is none or the command is not a
	 * write
	 * @throws ProtocolException if one of them is invalid. The clock is unchanged then,
	 * and the timestamp is checked first
	 */
	@Nullable Version receive(Request<?> request) {
		boolean required = request.command() instanceof Command.Set;
		Version timestamp = required ? requireTimestamp(request.timestamp()) : timestampIfValid(request.timestamp());
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

	private @Nullable Version timestampIfValid(@Nullable String text) {
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
