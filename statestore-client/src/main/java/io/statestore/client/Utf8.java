package io.statestore.client;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Converts between strings and UTF-8, without replacement characters. */
final class Utf8 {

	private static final char REPLACEMENT = '\uFFFD';

	private Utf8() {
	}

	/** Returns a string's bytes, or {@code null} if it has an unpaired surrogate. */
	static @Nullable Bytes encode(String text) {
		int position = 0;
		while (position < text.length()) {
			int character = text.codePointAt(position);
			if (character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE) {
				return null;
			}
			position += Character.charCount(character);
		}
		return Bytes.of(text);
	}

	/**
	 * Returns the string that UTF-8 bytes encode, or {@code null} if they are not valid
	 * UTF-8.
	 */
	static @Nullable String decode(Bytes bytes) {
		String text = bytes.toUtf8();
		boolean replaced = text.indexOf(REPLACEMENT) >= 0 && !Bytes.of(text).equals(bytes);
		return replaced ? null : text;
	}

}
