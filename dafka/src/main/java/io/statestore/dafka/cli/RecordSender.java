package io.statestore.dafka.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Sender of standard input or files. Reads on a separate thread, because a read of
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

	/** Sends standard input, split at a delimiter. */
	void sendInput(byte[] delimiter) {
		start(() -> sendParts(System.in, delimiter));
	}

	/** Sends files, split at a delimiter. */
	void sendParts(List<Path> files, byte[] delimiter) {
		start(() -> {
			for (Path file : files) {
				try (InputStream in = Files.newInputStream(file)) {
					sendParts(in, delimiter);
				}
			}
		});
	}

	/** Sends each file as a record. */
	void sendFiles(List<Path> files) {
		start(() -> {
			for (Path file : files) {
				if (Files.size(file) > this.maxSize) {
					throw new IOException(file + " is larger than " + this.maxSize + " bytes; split it with -l");
				}
				send(Files.readAllBytes(file));
			}
		});
	}

	/** Returns a future that completes after sending, and fails if reading fails. */
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

	private void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
				this.end.complete(null);
			}
			catch (Throwable ex) {
				this.end.completeExceptionally(ex);
			}
		}, "dafka-input");
		thread.setDaemon(true);
		thread.start();
	}

	private void sendParts(InputStream in, byte[] delimiter) throws IOException {
		RecordInput input = new RecordInput(new BufferedInputStream(in, 1 << 16), delimiter, this.maxSize);
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

	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

}
