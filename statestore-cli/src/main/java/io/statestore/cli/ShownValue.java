package io.statestore.cli;

import java.util.Locale;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * A value and its display format.
 *
 * @param bytes the value
 * @param format how to display the value
 */
record ShownValue(Bytes bytes, Format format) {

	/**
	 * Returns a value in a given format or, by default, in a format that suits its
	 * content: JSON for an object or array, text for UTF-8 without control characters,
	 * otherwise hexadecimal.
	 * @param bytes the value
	 * @param format requested format; {@code null} to choose by content. A value that is
	 * not JSON is shown as text instead of JSON
	 */
	static ShownValue of(Bytes bytes, @Nullable Format format) {
		Format shown = (format != null) ? format : isText(bytes) ? Format.JSON : Format.HEX;
		boolean unreadable = shown == Format.JSON && !Json.isObjectOrArray(bytes);
		return new ShownValue(bytes, unreadable ? Format.TEXT : shown);
	}

	private static boolean isText(Bytes bytes) {
		String text = bytes.toUtf8();
		return Bytes.of(text).equals(bytes) && Texts.isPrintable(text.replace("\r", ""));
	}

	/**
	 * Returns the value as text. Replaces control characters, which could affect a
	 * terminal.
	 */
	@Override
	public String toString() {
		return (this.format == Format.HEX) ? this.bytes.toHex()
				: Texts.printable(this.bytes.toUtf8().replace("\r", ""));
	}

	/** Ways to show a value. */
	enum Format {

		/** A JSON object or array. */
		JSON,

		/** Text in UTF-8. */
		TEXT,

		/** Bytes in hexadecimal. */
		HEX;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Option with the format of values. */
	static final class Show {

		@Option(names = "--show", paramLabel = "<format>",
				description = "Show values as text, json, or hex (default: based on their content)")
		private @Nullable Format format;

		boolean isSet() {
			return this.format != null;
		}

		/** Returns a value in the format of this option. */
		ShownValue of(Bytes value) {
			return ShownValue.of(value, this.format);
		}

	}

}
