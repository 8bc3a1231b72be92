package io.statestore.sample.room;

import java.util.regex.Pattern;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Prepares strings from the store for the page. They may contain any characters: the
 * template escapes HTML, and this class escapes invisible characters.
 */
final class Texts {

	private static final int MAX_NAME = 80;

	/** Includes format characters, which could reverse the page's text direction. */
	private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\u2028\u2029]");

	private Texts() {
	}

	static String name(String text) {
		String start = (text.codePointCount(0, text.length()) > MAX_NAME)
				? text.substring(0, text.offsetByCodePoints(0, MAX_NAME)) + '…' : text;
		return start.isEmpty() ? "(empty)" : INVISIBLE.matcher(start)
			.replaceAll((character) -> String.format("\\\\u%04x", character.group().codePointAt(0)));
	}

	static String shortVersion(@Nullable Version version) {
		return (version != null) ? version.wallMillis() + ":" + version.counter() : "–";
	}

}
