package io.statestore.dafka.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Sends standard input or files as records. Reads on a separate thread, because reading
 * standard input cannot be interrupted. Thread-safe.
 */
final class RecordSender {

	private final Producer producer;

	private final String topic;

	private final int maxSize;

	private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

	private volatile long sent;

	private volatile boolean refused;

	RecordSender(Producer producer, String topic, long maxSize) {
		this.producer = producer;
		this.topic = topic;
		this.maxSize = (int) Math.min(maxSize, Integer.MAX_VALUE - 1024);
	}

	/**
	 * Starts to send files, or standard input if there are none.
	 * @param split whether to split files at the delimiter; otherwise each file is a
	 * record
	 * @param delimiter non-empty delimiter between records
	 */
	void start(List<Path> files, boolean split, byte[] delimiter) {
		Thread thread = new Thread(() -> {
			try {
				send(files, split, delimiter);
				this.end.complete(null);
			}
			catch (Throwable ex) {
				this.end.completeExceptionally(ex);
			}
		}, "dafka-input");
		thread.setDaemon(true);
		thread.start();
	}

	/** Returns a future that completes after sending or fails if reading fails. */
	CompletableFuture<@Nullable Void> end() {
		return this.end;
	}

	/** Returns the number of records that the producer accepted. */
	long sent() {
		return this.sent;
	}

	/** Returns whether the producer refused a record, which ends reading. */
	boolean isRefused() {
		return this.refused;
	}

	private void send(List<Path> files, boolean split, byte[] delimiter) throws IOException {
		if (files.isEmpty()) {
			sendParts(System.in, delimiter);
		}
		for (Path file : files) {
			if (split) {
				try (InputStream in = Files.newInputStream(file)) {
					sendParts(in, delimiter);
				}
			}
			else if (Files.size(file) <= this.maxSize) {
				send(Files.readAllBytes(file));
			}
			else {
				throw new IOException(file + " is larger than " + this.maxSize + " bytes; split it with -l");
			}
		}
	}

	private void sendParts(InputStream in, byte[] delimiter) throws IOException {
		Input input = new Input(new BufferedInputStream(in, 1 << 16), delimiter, this.maxSize);
		for (byte[] record = input.next(); record != null && !this.refused; record = input.next()) {
			send(record);
		}
	}

	private void send(byte[] record) {
		if (!this.refused) {
			this.refused = this.producer.send(this.topic, record).isCompletedExceptionally();
			this.sent += this.refused ? 0 : 1;
		}
	}

	/** Splits a stream into records at a delimiter. */
	static final class Input {

		private final InputStream in;

		private final byte[] delimiter;

		private final int maxSize;

		private final Buffer record = new Buffer();

		/**
		 * Creates a reader.
		 * @param in a buffered stream, which is read byte by byte
		 * @param delimiter non-empty delimiter between records
		 * @param maxSize maximum size of a record in bytes, which limits memory usage
		 */
		Input(InputStream in, byte[] delimiter, int maxSize) {
			this.in = in;
			this.delimiter = delimiter;
			this.maxSize = maxSize;
		}

		/**
		 * Reads the next record. Bytes after the last delimiter are a record, too.
		 * @return the record, which may be empty; {@code null} at the end of the stream
		 * @throws IOException if reading fails or a record is too large
		 */
		byte @Nullable [] next() throws IOException {
			this.record.reset();
			byte last = this.delimiter[this.delimiter.length - 1];
			for (int read = this.in.read(); read >= 0; read = this.in.read()) {
				this.record.write(read);
				if ((byte) read == last && this.record.endsWith(this.delimiter)) {
					return this.record.without(this.delimiter.length);
				}
				if (this.record.size() - this.delimiter.length >= this.maxSize) {
					throw new IOException("a record is larger than " + this.maxSize
							+ " bytes: check the delimiter, or split the record");
				}
			}
			return (this.record.size() > 0) ? this.record.without(0) : null;
		}

		private static final class Buffer extends ByteArrayOutputStream {

			boolean endsWith(byte[] end) {
				int start = this.count - end.length;
				return start >= 0 && Arrays.equals(this.buf, start, this.count, end, 0, end.length);
			}

			byte[] without(int end) {
				return Arrays.copyOf(this.buf, this.count - end);
			}

		}

	}

}
