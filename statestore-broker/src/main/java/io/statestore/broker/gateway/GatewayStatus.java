package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Retained message with the number of page groups and an upper bound for all versions. It
 * is updated before a message with a version above the bound is sent, so that the next
 * gateway's versions can start at the bound. Used only on the event loop.
 */
final class GatewayStatus {

	/** How far reserved versions are ahead of the system clock, in milliseconds. */
	static final long RESERVE_MILLIS = 5_000;

	/**
	 * How far reserved versions are ahead of a version that is itself ahead of the system
	 * clock, in milliseconds. The value is small so that repeated restarts barely advance
	 * the versions until the system clock has caught up.
	 */
	static final long STEP_MILLIS = 100;

	/**
	 * How far the bound may be ahead of the system clock, in milliseconds: the lead that
	 * a client can cause, plus a reserve for repeated restarts.
	 */
	static final long MAX_LEAD_MILLIS = HybridLogicalClock.MAX_DRIFT.toMillis() + RESERVE_MILLIS;

	private static final Pattern FORMAT = Pattern.compile("v1\nversions=(\\d{1,15})\ngroups=(\\d{1,3})\n");

	private final LongSupplier wallClock;

	private final Consumer<byte[]> writer;

	private Contents contents;

	/**
	 * Creates a status.
	 * @param contents the retained contents
	 * @param wallClock the system clock in milliseconds since 1970
	 * @param writer writes the payload of the retained message
	 */
	GatewayStatus(Contents contents, LongSupplier wallClock, Consumer<byte[]> writer) {
		this.contents = contents;
		this.wallClock = wallClock;
		this.writer = writer;
	}

	/** Reserves a message's version. Called before the message is sent. */
	void sending(OutgoingMessage message) {
		for (UserProperty property : message.userProperties()) {
			if (property.name().equals(UserProperties.TIMESTAMP)) {
				reserve(Long.parseLong(property.value(), 0, property.value().indexOf(':'), 10));
			}
		}
	}

	private void reserve(long wallMillis) {
		if (wallMillis >= this.contents.versions()) {
			long bound = Math.max(wallMillis + STEP_MILLIS, this.wallClock.getAsLong() + RESERVE_MILLIS);
			this.contents = new Contents(bound, this.contents.groups());
			write();
		}
	}

	/** Updates the number of groups. Called before a page is written. */
	void writing(int page) {
		int groups = page / GatewayTopics.PAGES_PER_GROUP + 1;
		if (groups > this.contents.groups()) {
			this.contents = new Contents(this.contents.versions(), groups);
			write();
		}
	}

	void write() {
		this.writer.accept(this.contents.encode());
	}

	/**
	 * Contents of the status message.
	 *
	 * @param versions upper bound for all versions, in milliseconds since 1970
	 * @param groups number of page groups
	 */
	record Contents(long versions, int groups) {

		static final Contents NONE = new Contents(0, 0);

		/** Maximum number of groups. */
		static final int MAX_GROUPS = 200;

		byte[] encode() {
			return ("v1\nversions=" + this.versions + "\ngroups=" + this.groups + '\n')
				.getBytes(StandardCharsets.US_ASCII);
		}

		/** Decodes a payload. Returns {@code null} if it is malformed. */
		static @Nullable Contents decode(byte[] payload) {
			Matcher text = FORMAT.matcher(new String(payload, StandardCharsets.ISO_8859_1));
			if (!text.matches() || Integer.parseInt(text.group(2)) > MAX_GROUPS) {
				return null;
			}
			return new Contents(Long.parseLong(text.group(1)), Integer.parseInt(text.group(2)));
		}

	}

}
