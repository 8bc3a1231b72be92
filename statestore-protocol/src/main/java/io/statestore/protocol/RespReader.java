package io.statestore.protocol;

import java.nio.charset.StandardCharsets;

/**
 * Reads RESP from a complete message. Bulk strings are parts of the message, not copies;
 * a declared length that is larger than the message never allocates anything.
 */
final class RespReader {

	private final Bytes message;

	private int position;

	RespReader(Bytes message) {
		this.message = message;
	}

	boolean atEnd() {
		return this.position == this.message.length();
	}

	/** The type byte that comes next, which is not consumed. */
	byte peek() {
		if (atEnd()) {
			throw syntaxError();
		}
		return this.message.at(this.position);
	}

	/** {@code *<count>}. */
	int readArrayHeader() {
		return readHeader((byte) '*');
	}

	/** {@code $<length>} and so many bytes. */
	Bytes readBulk() {
		Bytes content = readUnterminatedBulk();
		readLineEnd();
		return content;
	}

	/** A bulk string whose final CR LF is missing. */
	Bytes readUnterminatedBulk() {
		int length = readHeader((byte) '$');
		if (length > this.message.length() - this.position) {
			throw syntaxError();
		}
		Bytes content = this.message.slice(this.position, this.position + length);
		this.position += length;
		return content;
	}

	void readLineEnd() {
		if (this.message.length() - this.position < 2 || this.message.at(this.position) != '\r'
				|| this.message.at(this.position + 1) != '\n') {
			throw syntaxError();
		}
		this.position += 2;
	}

	/** Everything that is left. */
	String readRest() {
		String rest = this.message.slice(this.position, this.message.length()).toUtf8();
		this.position = this.message.length();
		return rest;
	}

	/** Nothing may follow. */
	void readEnd() {
		if (!atEnd()) {
			throw syntaxError();
		}
	}

	private int readHeader(byte type) {
		if (peek() != type) {
			throw syntaxError();
		}
		this.position++;
		int start = this.position;
		long number = 0;
		while (!atEnd() && isDigit(this.message.at(this.position))) {
			number = number * 10 + (this.message.at(this.position) - '0');
			if (number > Integer.MAX_VALUE || (this.position > start && this.message.at(start) == '0')) {
				throw syntaxError();
			}
			this.position++;
		}
		if (this.position == start) {
			throw syntaxError();
		}
		readLineEnd();
		return (int) number;
	}

	private static boolean isDigit(byte character) {
		return character >= '0' && character <= '9';
	}

	/**
	 * A whole number of at most 18 digits, nothing else.
	 */
	static long parseNumber(Bytes digits) {
		if (digits.isEmpty() || digits.length() > 18) {
			throw syntaxError();
		}
		long number = 0;
		for (int i = 0; i < digits.length(); i++) {
			if (!isDigit(digits.at(i))) {
				throw syntaxError();
			}
			number = number * 10 + (digits.at(i) - '0');
		}
		return number;
	}

	static Bytes ascii(String text) {
		return Bytes.wrap(text.getBytes(StandardCharsets.US_ASCII));
	}

	static ProtocolException syntaxError() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR);
	}

}
