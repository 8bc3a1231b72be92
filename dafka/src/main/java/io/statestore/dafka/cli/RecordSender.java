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
 * Sends what it reads, in a thread of its own, since nothing ends waiting for standard
 * input.
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

	/** Sends standard input, cut at a delimiter. */
	void sendInput(byte[] delimiter) {
		start(() -> sendParts(System.in, delimiter));
	}

	/** Sends files, cut at a delimiter. */
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
					throw new IOException(file + " is larger than " + this.maxSize + " bytes: cut it with -l");
				}
				send(Files.readAllBytes(file));
			}
		});
	}

	/** Completes when everything was read and sent; fails if reading did. */
	CompletableFuture<@Nullable Void> end() {
		return this.end;
	}

	/** How many records the producer took. */
	long sent() {
		return this.sent;
	}

	/** Whether the producer did not take one, and what follows was not read. */
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
