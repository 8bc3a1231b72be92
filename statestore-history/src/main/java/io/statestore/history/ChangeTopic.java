package io.statestore.history;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.client.history.StateHistory;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.producer.Producer;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.StoredChange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a store's history as a Dafka topic. Reads the server's history over MQTT, and
 * sends each change as a record, in order. A Dafka consumer reads the topic and decodes
 * the records with {@link #decode}.
 * <p>
 * Records being sent are kept in a directory until a Dafka store has them; at least one
 * must run on the network. After a crash of the process or the machine, the same records
 * are sent again with the same offsets, and later records are read from the history. If
 * the server has removed changes that were not published, the topic contains what
 * {@link StateHistory#changes} returns: a gap, followed by all present keys. If
 * publishing these is interrupted, the gap and the keys are published again.
 * <p>
 * Failures to read or send are logged once, and retried until they succeed. Thread-safe.
 */
public final class ChangeTopic implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ChangeTopic.class);

	private static final int TIMEOUT_SECONDS = 10;

	private final StateHistory history;

	private final String topic;

	private final long maxSize;

	private final Outbox outbox;

	private final Producer producer;

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "statestore-change-topic");
		thread.setDaemon(true);
		return thread;
	});

	/**
	 * Completes when a store has the records in the outbox, {@code null} before they are
	 * sent.
	 */
	private @Nullable CompletableFuture<Position> sent;

	/** Whether the latest attempt failed. */
	private boolean failing;

	/**
	 * Starts to publish. The server need not be available.
	 * @param history reads the history; its client must be permitted to read the keys
	 * @param network options of the Dafka node that sends the records
	 * @param topic name of the topic, 1 to 255 bytes of UTF-8 without NUL. Each store
	 * needs its own
	 * @param directory stores the records being sent, and how far the history was
	 * published. Created if necessary. Use a new directory instead of a restored copy
	 * @param interval time between requests for new changes, and before a retry after a
	 * failure; 10 ms to one day
	 * @throws DafkaException if the directory cannot be used, belongs to another topic,
	 * or is in use, or if the node cannot listen. The message explains how to fix the
	 * problem
	 * @throws IllegalArgumentException if the topic or the interval is invalid
	 */
	public ChangeTopic(StateHistory history, NodeOptions network, String topic, Path directory, Duration interval) {
		Options.topic(topic);
		Options.requireDuration("interval", interval, Duration.ofMillis(10));
		this.history = history;
		this.topic = topic;
		this.maxSize = network.maxMessageSize();
		this.outbox = new Outbox(directory, topic);
		this.producer = Producer.builder(network).identity(this.outbox).start();
		this.executor.scheduleWithFixedDelay(this::run, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Decodes a record of the topic.
	 * @param content the record's content
	 * @return the change
	 * @throws ProtocolException if the content is not a change
	 */
	public static StoredChange decode(Bytes content) {
		return Administration.decodeItem(StoredChange.class, io.statestore.protocol.Bytes.wrap(content.unwrap()));
	}

	private void run() {
		try {
			publish();
			if (this.failing) {
				this.failing = false;
				logger.info("Publishing the history in topic '{}' again", this.topic);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (IOException | RuntimeException ex) {
			if (!this.failing && !this.executor.isShutdown()) {
				this.failing = true;
				logger.error("Cannot publish the history in topic '{}'; retrying until it succeeds", this.topic, ex);
			}
		}
	}

	/** Publishes all changes that are currently in the history. */
	private void publish() throws IOException, InterruptedException {
		deliver();
		ChangeBatch batch = new ChangeBatch(this.outbox.position(), this.outbox.next() > 0);
		Iterator<StoredChange> changes = this.history.changes("*", this.outbox.position()).iterator();
		while (changes.hasNext()) {
			batch.add(changes.next());
			if (batch.isFull()) {
				write(batch);
			}
		}
		batch.end();
		write(batch);
	}

	private void write(ChangeBatch batch) throws IOException, InterruptedException {
		List<Bytes> records = batch.take();
		for (Bytes record : records) {
			if (record.size() > this.maxSize) {
				throw new DafkaException("A change has " + record.size() + " bytes, but 'maxMessageSize' of the Dafka "
						+ "network is " + this.maxSize + ". Raise it on all nodes");
			}
		}
		if (!records.isEmpty() || !Objects.equals(batch.position(), this.outbox.position())) {
			this.outbox.write(records, batch.position());
			deliver();
		}
	}

	/** Sends the records in the outbox, and waits until a Dafka store has them. */
	private void deliver() throws InterruptedException {
		if (this.sent == null) {
			for (Bytes record : this.outbox.records()) {
				this.sent = this.producer.send(this.topic, record);
			}
		}
		if (this.sent == null) {
			return;
		}
		try {
			// A store that has the last record has all records before it.
			this.sent.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			throw new DafkaException("No Dafka store has acknowledged the changes for " + TIMEOUT_SECONDS
					+ " s. Check that one runs on the same network", ex);
		}
		catch (ExecutionException ex) {
			throw new DafkaException("The Dafka producer has ended. Restart the application", ex);
		}
		this.sent = null;
		this.outbox.delivered();
	}

	/**
	 * Stops publishing, without waiting for the server or a Dafka store. The next start
	 * continues with the same record.
	 */
	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			this.executor.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.producer.close(Duration.ZERO);
	}

}
