package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.UriUtils;

/**
 * A key of the store. Any bytes can be in a key or a value: the template escapes HTML,
 * this class escapes characters that cannot be seen.
 *
 * @param key the key
 * @param value its value
 * @param version version of its value
 * @param changes number of changes since the start of the control room
 * @param at time of the latest change
 */
record StoredKey(String key, Bytes value, Version version, long changes, Instant at) {

	private static final int MAX_KEY = 80;

	private static final int MAX_VALUE = 200;

	/** Also format characters, which could reverse the direction of the page. */
	private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\u2028\u2029]");

	/** Returns the key as a request parameter and an identifier. */
	public String parameter() {
		return parameter(this.key);
	}

	public String name() {
		return name(this.key);
	}

	public String text() {
		return text(this.value);
	}

	/** Returns the version without the name of the store. */
	public String shortVersion() {
		return shortVersion(this.version);
	}

	/** Returns whether the page shows that the key has changed. */
	public boolean recent() {
		return this.at.isAfter(Instant.now().minusSeconds(2));
	}

	static String parameter(String key) {
		return UriUtils.encode(key, StandardCharsets.UTF_8);
	}

	static String name(String key) {
		if (LockNames.isSuccessor(Bytes.of(key))) {
			return name(LockNames.lock(Bytes.of(key)).toUtf8()) + " (successor lock)";
		}
		return readable(key, MAX_KEY);
	}

	static String text(Bytes value) {
		return readable(value.slice(0, Math.min(value.length(), 5 * MAX_VALUE)).toUtf8(), MAX_VALUE);
	}

	private static String readable(String text, int max) {
		String start = (text.codePointCount(0, text.length()) > max)
				? text.substring(0, text.offsetByCodePoints(0, max)) + '…' : text;
		return start.isEmpty() ? "(empty)" : INVISIBLE.matcher(start)
			.replaceAll((character) -> String.format("\\\\u%04x", character.group().codePointAt(0)));
	}

	static String shortVersion(@Nullable Version version) {
		return (version != null) ? version.wallMillis() + ":" + version.counter() : "–";
	}

}
