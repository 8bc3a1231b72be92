package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Encodes RESP3 into an array of exactly the required size, so that a value is copied
 * only once.
 */
final class RespWriter {

	private final byte[] target;

	private int position;

	private RespWriter(int size) {
		this.target = new byte[size];
	}

	/** Encodes a string unchanged. */
	static byte[] text(String content) {
		return content.getBytes(StandardCharsets.UTF_8);
	}

	/** Encodes a single bulk string. */
	static byte[] bulk(Bytes content) {
		RespWriter writer = new RespWriter(sizeOfBulk(content));
		writer.writeBulk(content);
		return writer.target;
	}

	/** Encodes an array of bulk strings. */
	static byte[] array(Bytes... elements) {
		List<Bytes> list = List.of(elements);
		RespWriter writer = new RespWriter(sizeOfArray(list));
		writer.writeArray(list);
		return writer.target;
	}

	/**
	 * Encodes an array that contains an array of bulk strings, followed by more bulk
	 * strings.
	 */
	static byte[] nestedArray(List<Bytes> inner, List<Bytes> rest) {
		int count = 1 + rest.size();
		int size = Math.addExact(sizeOfHeader(count), sizeOfArray(inner));
		for (Bytes element : rest) {
			size = Math.addExact(size, sizeOfBulk(element));
		}
		RespWriter writer = new RespWriter(size);
		writer.writeHeader('*', count);
		writer.writeArray(inner);
		rest.forEach(writer::writeBulk);
		return writer.target;
	}

	private static int sizeOfArray(List<Bytes> elements) {
		int size = sizeOfHeader(elements.size());
		for (Bytes element : elements) {
			size = Math.addExact(size, sizeOfBulk(element));
		}
		return size;
	}

	private static int sizeOfBulk(Bytes content) {
		return Math.addExact(sizeOfHeader(content.length()) + 2, content.length());
	}

	private static int sizeOfHeader(int number) {
		int digits = 1;
		for (int rest = number; rest >= 10; rest /= 10) {
			digits++;
		}
		return 1 + digits + 2;
	}

	private void writeArray(List<Bytes> elements) {
		writeHeader('*', elements.size());
		elements.forEach(this::writeBulk);
	}

	private void writeBulk(Bytes content) {
		writeHeader('$', content.length());
		content.copyTo(this.target, this.position);
		this.position += content.length();
		writeLineEnd();
	}

	private void writeHeader(char type, int number) {
		int end = this.position + sizeOfHeader(number) - 2;
		this.target[this.position] = (byte) type;
		int rest = number;
		for (int i = end - 1; i > this.position; i--) {
			this.target[i] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		this.position = end;
		writeLineEnd();
	}

	private void writeLineEnd() {
		this.target[this.position++] = '\r';
		this.target[this.position++] = '\n';
	}

}
