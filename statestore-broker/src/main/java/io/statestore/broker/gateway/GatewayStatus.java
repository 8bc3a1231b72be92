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
 * Retained message with the number of groups of pages and an upper bound of all versions.
 * It is written before a message with a version above the bound, so that the versions of
 * the next gateway can begin there. Used on the event loop only.
 */
final class GatewayStatus {

	/** Time after the system clock for which versions are reserved, in milliseconds. */
	static final long RESERVE_MILLIS = 5_000;

	/**
	 * Time after a version for which versions are reserved if the version is ahead of the
	 * system clock, in milliseconds. Versions then hardly advance until the system clock
	 * reaches them, so that restarts in a row do not move them further and further ahead.
	 */
	static final long STEP_MILLIS = 100;

	/**
	 * Longest time by which the bound may be ahead of the system clock, in milliseconds:
	 * the lead that a client may cause, and a reserve for restarts in a row.
	 */
	static final long MAX_LEAD_MILLIS = HybridLogicalClock.MAX_DRIFT.toMillis() + RESERVE_MILLIS;

	private static final Pattern FORMAT = Pattern.compile("v1\nversions=(\\d{1,15})\ngroups=(\\d{1,3})\n");

	private final LongSupplier wallClock;

	private final Consumer<byte[]> writer;

	private Contents contents;

	/**
	 * Creates a status.
	 * @param contents the retained ones
	 * @param wallClock system clock in milliseconds since 1970
	 * @param writer writes the payload of the retained message
	 */
	GatewayStatus(Contents contents, LongSupplier wallClock, Consumer<byte[]> writer) {
		this.contents = contents;
		this.wallClock = wallClock;
		this.writer = writer;
	}

	/** Called before a message is sent. */
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

	/** Called before a page is written. */
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
	 * Contents of the message.
	 *
	 * @param versions milliseconds since 1970 that no version has reached
	 * @param groups number of groups with pages of observations
	 */
	record Contents(long versions, int groups) {

		static final Contents NONE = new Contents(0, 0);

		/** Most groups that are read at a start. */
		static final int MAX_GROUPS = 200;

		byte[] encode() {
			return ("v1\nversions=" + this.versions + "\ngroups=" + this.groups + '\n')
				.getBytes(StandardCharsets.US_ASCII);
		}

		/** Reads a payload, {@code null} if it is malformed. */
		static @Nullable Contents decode(byte[] payload) {
			Matcher text = FORMAT.matcher(new String(payload, StandardCharsets.ISO_8859_1));
			if (!text.matches() || Integer.parseInt(text.group(2)) > MAX_GROUPS) {
				return null;
			}
			return new Contents(Long.parseLong(text.group(1)), Integer.parseInt(text.group(2)));
		}

	}

}
