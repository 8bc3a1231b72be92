package io.statestore.sample.room;

import java.util.regex.Pattern;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Texts from the store on the page. Any characters can be in them: the template escapes
 * HTML, this class escapes characters that cannot be seen.
 */
final class Texts {

	private static final int MAX_NAME = 80;

	/** Also format characters, which could reverse the direction of the page. */
	private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\u2028\u2029]");

	private Texts() {
	}

	static String name(String text) {
		String start = (text.codePointCount(0, text.length()) > MAX_NAME)
				? text.substring(0, text.offsetByCodePoints(0, MAX_NAME)) + '…' : text;
		return start.isEmpty() ? "(empty)" : INVISIBLE.matcher(start)
			.replaceAll((character) -> String.format("\\\\u%04x", character.group().codePointAt(0)));
	}

	/** Returns a version without the name of the store. */
	static String shortVersion(@Nullable Version version) {
		return (version != null) ? version.wallMillis() + ":" + version.counter() : "–";
	}

}
