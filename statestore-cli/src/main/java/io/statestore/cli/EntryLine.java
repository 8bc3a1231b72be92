package io.statestore.cli;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Entry as a JSON line: {@code {"key":"k","value":"v","ttlMs":1000}}. Keys and values
 * that are not UTF-8 use the fields {@code keyBase64} and {@code valueBase64}.
 *
 * @param key key of the entry
 * @param value value of the entry
 * @param timeToLive time until the entry expires; {@code null} if it never expires
 * @param line line number in the input; 0 if the entry was not read from a line
 */
record EntryLine(Key key, Bytes value, @Nullable Duration timeToLive, long line) {

	private static final String BASE64 = "Base64";

	/** Returns the JSON line without a line break. */
	String toJson() {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		put(fields, "key", this.key.bytes());
		put(fields, "value", this.value);
		if (this.timeToLive != null) {
			// A request cannot have an expiry of 0.
			fields.put("ttlMs", Math.max(1, this.timeToLive.toMillis()));
		}
		return Json.object(fields);
	}

	private static void put(Map<String, @Nullable Object> fields, String name, Bytes bytes) {
		String text = bytes.toUtf8();
		if (Bytes.of(text).equals(bytes)) {
			fields.put(name, text);
		}
		else {
			fields.put(name + BASE64, Base64.getEncoder().encodeToString(bytes.toArray()));
		}
	}

	/**
	 * Reads the next entry.
	 * @return the entry; {@code null} at the end of the input
	 * @throws CliException if the line is not an entry or cannot be read
	 */
	static @Nullable EntryLine read(JsonParser parser) {
		long line = 0;
		try {
			if (parser.nextToken() == null) {
				return null;
			}
			line = parser.currentTokenLocation().getLineNr();
			return readObject(parser, line);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			line = (line > 0) ? line : parser.currentLocation().getLineNr();
			String reason = (ex instanceof JacksonException json) ? json.getOriginalMessage() : ex.getMessage();
			throw invalid(line, reason);
		}
	}

	/** Creates an exception for an invalid line. */
	static CliException invalid(long line, @Nullable String reason) {
		return new CliException(ExitCodes.FAILED, "Line " + line + " is invalid: " + reason
				+ ". Correct it, and repeat the command with --skip-existing or --overwrite");
	}

	private static EntryLine readObject(JsonParser parser, long line) {
		require(parser.currentToken() == JsonToken.START_OBJECT, "it is not a JSON object");
		Map<String, Bytes> fields = new HashMap<>();
		while (parser.nextToken() != JsonToken.END_OBJECT) {
			String name = parser.currentName();
			Bytes earlier = fields.put(name.replace(BASE64, ""), read(parser, name, parser.nextToken()));
			require(earlier == null, "'" + name + "' is the second one");
		}
		Bytes key = fields.get("key");
		Bytes value = fields.get("value");
		if (key == null || value == null) {
			throw new IllegalArgumentException("it has no " + ((key == null) ? "'key'" : "'value'"));
		}
		Bytes time = fields.get("ttlMs");
		return new EntryLine(new Key(key), value,
				(time != null) ? Duration.ofMillis(Long.parseLong(time.toUtf8())) : null, line);
	}

	private static Bytes read(JsonParser parser, String name, JsonToken token) {
		if (name.equals("ttlMs")) {
			require(token == JsonToken.VALUE_NUMBER_INT && parser.getLongValue() > 0,
					"'ttlMs' is not a number of at least 1");
			return Bytes.of(parser.getString());
		}
		require(name.matches("(key|value)(" + BASE64 + ")?"), "the field '" + name + "' is unknown");
		require(token == JsonToken.VALUE_STRING, "'" + name + "' is not a text");
		String text = parser.getString();
		if (name.endsWith(BASE64)) {
			return Bytes.wrap(Base64.getDecoder().decode(text));
		}
		require(StandardCharsets.UTF_8.newEncoder().canEncode(text), "'" + name + "' has an unpaired surrogate");
		return Bytes.of(text);
	}

	private static void require(boolean valid, String reason) {
		if (!valid) {
			throw new IllegalArgumentException(reason);
		}
	}

}
