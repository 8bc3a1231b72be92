package io.statestore.protocol;

import java.nio.charset.StandardCharsets;

/**
 * Reader of RESP in a complete message. Bulk strings share the memory of the message. A
 * length is checked against the size of the message before memory is allocated for it.
 */
final class RespReader {

	/** Size of an empty bulk string, which is {@code $0} and two line ends. */
	private static final int SMALLEST_BULK = 6;

	private final Bytes message;

	private int position;

	RespReader(Bytes message) {
		this.message = message;
	}

	/** Returns whether the whole message was read. */
	boolean atEnd() {
		return this.position == this.message.length();
	}

	/** Returns the next byte without consuming it. */
	byte peek() {
		if (atEnd()) {
			throw syntaxError();
		}
		return this.message.at(this.position);
	}

	/** Reads the header of an array, {@code *<count>}. */
	int readArrayHeader() {
		return readHeader('*');
	}

	/**
	 * Reads the header of an array of bulk strings. The count never exceeds the number of
	 * bulk strings that fit into the rest of the message.
	 */
	int readBulkArrayHeader() {
		int count = readArrayHeader();
		if (count > remaining() / SMALLEST_BULK) {
			throw syntaxError();
		}
		return count;
	}

	/** Reads a bulk string: {@code $<length>} and its bytes. */
	Bytes readBulk() {
		Bytes content = readUnterminatedBulk();
		readLineEnd();
		return content;
	}

	/** Reads a bulk string without its final CR LF. */
	Bytes readUnterminatedBulk() {
		int length = readBulkHeader();
		Bytes content = this.message.slice(this.position, this.position + length);
		this.position += length;
		return content;
	}

	/** Skips a bulk string. */
	void skipBulk() {
		int length = readBulkHeader();
		this.position += length;
		readLineEnd();
	}

	/** Reads CR LF. */
	void readLineEnd() {
		if (remaining() < 2 || this.message.at(this.position) != '\r' || this.message.at(this.position + 1) != '\n') {
			throw syntaxError();
		}
		this.position += 2;
	}

	/** Requires the end of the message. */
	void readEnd() {
		if (!atEnd()) {
			throw syntaxError();
		}
	}

	/** Reads a number that is not negative, {@code :<number>}. */
	long readInteger() {
		readType(':');
		long number = readNumber();
		readLineEnd();
		return number;
	}

	/**
	 * Reads the decimal digits of a number. Signs and leading zeros are refused, so that
	 * each command has exactly one encoding.
	 */
	long readNumber() {
		int start = this.position;
		long number = 0;
		while (!atEnd() && isDigit(peek())) {
			int digit = peek() - '0';
			if (number > (Long.MAX_VALUE - digit) / 10) {
				throw syntaxError();
			}
			number = number * 10 + digit;
			this.position++;
		}
		int digits = this.position - start;
		if (digits == 0 || (digits > 1 && this.message.at(start) == '0')) {
			throw syntaxError();
		}
		return number;
	}

	private int readBulkHeader() {
		int length = readHeader('$');
		if (length > remaining()) {
			throw syntaxError();
		}
		return length;
	}

	private int readHeader(char type) {
		readType(type);
		long number = readNumber();
		if (number > Integer.MAX_VALUE) {
			throw syntaxError();
		}
		readLineEnd();
		return (int) number;
	}

	private void readType(char type) {
		if (peek() != type) {
			throw syntaxError();
		}
		this.position++;
	}

	private int remaining() {
		return this.message.length() - this.position;
	}

	private static boolean isDigit(byte character) {
		return character >= '0' && character <= '9';
	}

	static Bytes ascii(String text) {
		return Bytes.wrap(text.getBytes(StandardCharsets.US_ASCII));
	}

	static ProtocolException syntaxError() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR);
	}

}
