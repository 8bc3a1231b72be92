package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;

/**
 * Makes text of the store safe for the page: any bytes can be in a key or a value. The
 * template escapes HTML; this class handles characters that cannot be seen, and length.
 */
final class ReadableText {

	private static final int MAX_KEY = 80;

	private static final int MAX_VALUE = 200;

	private ReadableText() {
	}

	static String key(String key) {
		if (LockNames.isSuccessor(Bytes.of(key))) {
			return readable(LockNames.lock(Bytes.of(key)).toUtf8(), MAX_KEY) + " (successor lock)";
		}
		return key.isEmpty() ? "(empty)" : readable(key, MAX_KEY);
	}

	static String value(String value) {
		return value.isEmpty() ? "(empty)" : readable(value, MAX_VALUE);
	}

	private static String readable(String text, int max) {
		StringBuilder result = new StringBuilder();
		int index = 0;
		for (int count = 0; index < text.length() && count < max; count++) {
			int character = text.codePointAt(index);
			index += Character.charCount(character);
			if (isVisible(character)) {
				result.appendCodePoint(character);
			}
			else {
				result.append(String.format(Locale.ROOT, "\\u%04x", character));
			}
		}
		return (index < text.length()) ? result.append('…').toString() : result.toString();
	}

	/** Also refuses format characters, which could reverse the direction of the page. */
	private static boolean isVisible(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR ->
				false;
			default -> true;
		};
	}

	/** Returns the parts of a value between which a line may break. */
	static List<String> parts(String value) {
		return List.of(value.split("(?<=,)"));
	}

	/** Returns a version without the node and without leading zeros. */
	static String version(String version) {
		try {
			Version parsed = Version.parse(version);
			return parsed.wallMillis() + ":" + parsed.counter();
		}
		catch (RuntimeException ex) {
			return readable(version, MAX_KEY);
		}
	}

	/** Returns an identifier for elements, which consists of a letter and hex digits. */
	static String id(String prefix, String name) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
			return prefix + HexFormat.of().formatHex(digest, 0, 12);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns a key as a request parameter. */
	static String encode(String key) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns the key of a request parameter.
	 * @throws IllegalArgumentException if it is malformed
	 */
	static String decode(String parameter) {
		return new String(Base64.getUrlDecoder().decode(parameter), StandardCharsets.UTF_8);
	}

}
