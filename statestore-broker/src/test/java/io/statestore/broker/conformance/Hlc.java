package io.statestore.broker.conformance;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.test.RawPublish;

/** A version as a client parses it (section 4). */
public record Hlc(long wall, long counter, String node) implements Comparable<Hlc> {

	private static final Pattern UNPADDED = Pattern.compile("(0|[1-9]\\d*):(0|[1-9]\\d*):([^:]+)");

	private static final Comparator<Hlc> ORDER = Comparator.comparingLong(Hlc::wall)
		.thenComparingLong(Hlc::counter)
		.thenComparing(Hlc::node);

	/** Parses the format that a server sends. Any other format fails the test. */
	public static Hlc of(RawPublish message) {
		String text = message.userProperty("__ts");
		Matcher matcher = UNPADDED.matcher(String.valueOf(text));
		if (!matcher.matches()) {
			throw new AssertionError("No unpadded version in __ts: " + text);
		}
		return new Hlc(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), matcher.group(3));
	}

	/** Returns a client's clock reading, offset by a number of milliseconds. */
	public static Hlc now(long offsetMillis) {
		return new Hlc(System.currentTimeMillis() + offsetMillis, 0, "conformance");
	}

	public String padded() {
		return String.format("%015d:%05d:%s", this.wall, this.counter, this.node);
	}

	public String unpadded() {
		return this.wall + ":" + this.counter + ":" + this.node;
	}

	@Override
	public int compareTo(Hlc other) {
		return ORDER.compare(this, other);
	}

}
