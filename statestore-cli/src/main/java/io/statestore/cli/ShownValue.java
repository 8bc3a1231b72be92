package io.statestore.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A value and its display format.
 *
 * @param bytes the value
 * @param format how to display the value
 */
record ShownValue(Bytes bytes, ValueFormat format) {

	/**
	 * Returns a value in a given format or, by default, in a format that suits its
	 * content: JSON for an object or array, text for UTF-8 without control characters,
	 * otherwise hexadecimal.
	 * @param bytes the value
	 * @param format requested format; {@code null} to choose by content. A value that is
	 * not JSON is shown as text instead of JSON
	 */
	static ShownValue of(Bytes bytes, @Nullable ValueFormat format) {
		if (format == null) {
			return new ShownValue(bytes, formatOf(bytes));
		}
		boolean unreadable = format == ValueFormat.JSON && !Json.isObjectOrArray(bytes.toArray());
		return new ShownValue(bytes, unreadable ? ValueFormat.TEXT : format);
	}

	private static ValueFormat formatOf(Bytes bytes) {
		String text = decode(bytes);
		if (text == null || text.codePoints().anyMatch(ShownValue::isControl)) {
			return ValueFormat.HEX;
		}
		// Avoids loading the parser for other text.
		String start = text.stripLeading();
		boolean json = (start.startsWith("{") || start.startsWith("[")) && Json.isObjectOrArray(bytes.toArray());
		return json ? ValueFormat.JSON : ValueFormat.TEXT;
	}

	private static boolean isControl(int character) {
		return character != '\n' && character != '\t' && character != '\r' && Texts.isControl(character);
	}

	private static @Nullable String decode(Bytes bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toArray())).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	/** Returns the value as text, with line breaks and tabs as in a Java string. */
	String onOneLine() {
		return Texts.onOneLine(toString());
	}

	/**
	 * Returns the value as text. Replaces control characters, which could affect a
	 * terminal.
	 */
	@Override
	public String toString() {
		return (this.format == ValueFormat.HEX) ? this.bytes.toHex()
				: Texts.printable(this.bytes.toUtf8().replace("\r", ""));
	}

}
