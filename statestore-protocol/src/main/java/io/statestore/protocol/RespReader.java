package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads RESP3 from a complete message. Bulk strings are slices of the message. A declared
 * length beyond the end of the message is rejected before memory is allocated.
 */
final class RespReader {

	/** Size of an empty bulk string, in bytes: {@code $0} and two line ends. */
	private static final int SMALLEST_BULK = 6;

	private final Bytes message;

	private int position;

	RespReader(Bytes message) {
		this.message = message;
	}

	boolean atEnd() {
		return this.position == this.message.length();
	}

	/** Returns the next type byte without consuming it. */
	byte peek() {
		if (atEnd()) {
			throw syntaxError();
		}
		return this.message.at(this.position);
	}

	/** Reads {@code *<count>}. */
	int readArrayHeader() {
		return readHeader('*');
	}

	/**
	 * Reads {@code *<count>} of an array of bulk strings. The count cannot exceed what
	 * fits into the rest of the message, so it is safe as a list's initial capacity.
	 */
	int readBulkArrayHeader() {
		int count = readArrayHeader();
		if (count > remaining() / SMALLEST_BULK) {
			throw syntaxError();
		}
		return count;
	}

	/** Reads a message that is an array of bulk strings. */
	List<Bytes> readBulkArray(int max) {
		int count = readBulkArrayHeader();
		if (count > max) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		List<Bytes> elements = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			elements.add(readBulk());
		}
		readEnd();
		return elements;
	}

	/** Reads a bulk string: {@code $<length>} and the bytes. */
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

	/** Reads {@code :<number>}, which may be negative. */
	long readInteger() {
		readType(':');
		long number = readSignedNumber();
		readLineEnd();
		return number;
	}

	/** Returns a message that consists of a number, which may be negative. */
	static long number(Bytes message) {
		RespReader reader = new RespReader(message);
		long number = reader.readSignedNumber();
		reader.readEnd();
		return number;
	}

	private long readSignedNumber() {
		if (peek() != '-') {
			return readNumber();
		}
		this.position++;
		long number = readNegated(Long.MIN_VALUE);
		if (number == 0) {
			throw syntaxError();
		}
		return number;
	}

	/**
	 * Reads decimal digits without a sign or leading zeros, so that each number has
	 * exactly one encoding.
	 */
	long readNumber() {
		return -readNegated(-Long.MAX_VALUE);
	}

	/**
	 * Reads digits, and returns their negated number, because it has the larger range.
	 */
	private long readNegated(long min) {
		int start = this.position;
		long number = 0;
		while (!atEnd() && isDigit(peek())) {
			int digit = peek() - '0';
			// A leading zero ends the loop early, because a value may have millions of
			// zeros.
			if (number < (min + digit) / 10 || (number == 0 && this.position > start)) {
				throw syntaxError();
			}
			number = number * 10 - digit;
			this.position++;
		}
		if (this.position == start) {
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
