package io.statestore.dafka.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decoder of backslash escapes in a delimiter or format. */
final class Escapes {

	private static final Pattern ESCAPE = Pattern.compile("\\\\(?:x([0-9a-fA-F]{2})|(.?))", Pattern.DOTALL);

	private static final String NAMES = "ntr0\\";

	private static final String MEANINGS = "\n\t\r\0\\";

	private Escapes() {
	}

	/**
	 * Returns a text in UTF-8, with {@code \n \t \r \0 \\} and {@code \x1F} replaced.
	 * @throws IllegalArgumentException if the text contains another escape
	 */
	static byte[] bytes(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		Matcher matcher = ESCAPE.matcher(text);
		int end = 0;
		while (matcher.find()) {
			bytes.writeBytes(text.substring(end, matcher.start()).getBytes(StandardCharsets.UTF_8));
			bytes.write(meaning(matcher));
			end = matcher.end();
		}
		bytes.writeBytes(text.substring(end).getBytes(StandardCharsets.UTF_8));
		return bytes.toByteArray();
	}

	private static int meaning(Matcher escape) {
		if (escape.group(1) != null) {
			return Integer.parseInt(escape.group(1), 16);
		}
		int name = escape.group(2).isEmpty() ? -1 : NAMES.indexOf(escape.group(2));
		if (name < 0) {
			throw new IllegalArgumentException("'" + escape.group()
					+ "' is not a valid escape; write \\n, \\t, \\r, \\0, \\\\, or \\x with two digits");
		}
		return MEANINGS.charAt(name);
	}

}
