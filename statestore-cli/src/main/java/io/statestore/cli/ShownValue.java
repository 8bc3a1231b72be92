package io.statestore.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A value and the way to show it.
 *
 * @param bytes the value
 * @param format the way to show it
 */
record ShownValue(Bytes bytes, ValueFormat format) {

	/**
	 * Returns a value in a format, or in the format of its content: JSON for an object or
	 * array, text for UTF-8 without control characters, otherwise hexadecimal.
	 * @param bytes the value
	 * @param format the format, {@code null} for that of the content. Text, if it is JSON
	 * and the value is not
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
		// Other text does not load the parser.
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
	 * Returns the value as text. Control characters, which could change a terminal, are
	 * replaced.
	 */
	@Override
	public String toString() {
		return (this.format == ValueFormat.HEX) ? this.bytes.toHex()
				: Texts.printable(this.bytes.toUtf8().replace("\r", ""));
	}

}
