package io.statestore.console;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A value as text.
 *
 * @param format {@code json} for an object or array, {@code text} for other UTF-8 without
 * control characters, {@code hex} for all other values
 * @param text the text or its beginning
 * @param size size of the value in bytes
 * @param complete whether the text shows the entire value
 */
record ShownValue(String format, String text, int size, boolean complete) {

	private static final int MAX_LENGTH = 64 * 1024;

	private static final int MAX_PREVIEW = 160;

	/** Includes format characters, which could reverse the page's text direction. */
	private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}&&[^\\n\\r\\t]]");

	/** Preserves all digits of numbers. */
	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.build();

	/** Returns a value with line breaks and indentation. */
	static ShownValue of(Bytes value) {
		ShownValue shown = of(value, MAX_LENGTH);
		String json = (shown.complete() && shown.format().equals("text")) ? indented(shown.text()) : null;
		return (json != null) ? new ShownValue("json", json, shown.size(), true) : shown;
	}

	/** Returns the beginning of a value on one line. */
	static String preview(Bytes value) {
		ShownValue shown = of(value, MAX_PREVIEW);
		String line = shown.text().replaceAll("\\s+", " ");
		return (shown.format().equals("hex") ? "0x" : "") + line + (shown.complete() ? "" : "…");
	}

	private static ShownValue of(Bytes value, int maxLength) {
		int end = Math.min(value.length(), maxLength);
		// Do not cut within a character.
		for (int i = 0; i < 3 && end < value.length() && end > 0 && (value.at(end) & 0xC0) == 0x80; i++) {
			end--;
		}
		String text = decode(value.slice(0, end));
		boolean readable = text != null && !INVISIBLE.matcher(text).find();
		int shown = readable ? end : Math.min(end, maxLength / 2);
		return new ShownValue(readable ? "text" : "hex",
				(readable && text != null) ? text : value.slice(0, shown).toHex(), value.length(),
				shown == value.length());
	}

	private static @Nullable String decode(Bytes bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(bytes.toByteBuffer()).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private static @Nullable String indented(String text) {
		try {
			JsonNode json = JSON.readTree(text);
			return json.isContainer() ? json.toPrettyString() : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

}
