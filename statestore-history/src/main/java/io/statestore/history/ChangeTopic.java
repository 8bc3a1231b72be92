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
import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.dafka.producer.Producer;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.StoredChange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of the history of a store as a Dafka topic. Reads the history of any server
 * over MQTT, and sends each change as a record, in order. A Dafka consumer reads the
 * topic, and decodes its records with {@link #decode}.
 * <p>
 * Records that are being sent are kept in a directory until a Dafka store has them, which
 * must run somewhere on the network. After a crash of the process or the machine, the
 * same records are sent with the same offsets, and those that follow are read from the
 * history. If the server has removed changes that were not published, the topic contains
 * what {@link StateHistory#changes} returns: a gap, followed by all keys that are
 * present. If that is interrupted, the gap and the keys are published again.
 * <p>
 * Failures to read or send are logged once, and retried until they end. Thread-safe.
 */
public final class ChangeTopic implements AutoCloseable {

	/** Default name of the topic. */
	public static final String DEFAULT_TOPIC = "statestore-history";

	private static final Logger logger = LoggerFactory.getLogger(ChangeTopic.class);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private static final int WARNING_SECONDS = 10;

	private final Builder options;

	private final Outbox outbox;

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "statestore-change-topic");
		thread.setDaemon(true);
		return thread;
	});

	/** Sender of the records, {@code null} after a failure to send. */
	private volatile @Nullable Producer producer;

	/** Whether the latest attempt failed. */
	private boolean failing;

	private ChangeTopic(Builder options) {
		this.options = options;
		this.outbox = new Outbox(options.directory, options.topic, options.pattern);
		try {
			this.producer = startProducer();
		}
		catch (RuntimeException ex) {
			this.outbox.close();
			throw ex;
		}
		this.executor.scheduleWithFixedDelay(this::run, 0, options.interval.toNanos(), TimeUnit.NANOSECONDS);
	}

	private Producer startProducer() {
		return Producer.builder(this.options.network).identity(this.outbox.identity()).start();
	}

	/**
	 * Returns a builder with default options.
	 * @param history reads the history, as a client with permission to read the keys
	 * @param network options of the Dafka node that sends the records
	 * @param directory keeps the records that are being sent, and how far the history was
	 * published. Created if necessary. Use a new directory instead of a restored copy
	 * @return a new builder
	 */
	public static Builder builder(StateHistory history, NodeOptions network, Path directory) {
		return new Builder(history, network, directory);
	}

	/**
	 * Decodes a record of the topic.
	 * @param content the content of the record
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
				logger.info("Publishing the history in topic '{}' again", this.options.topic);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (IOException | RuntimeException ex) {
			if (!this.failing && !this.executor.isShutdown()) {
				this.failing = true;
				logger.error("Cannot publish the history in topic '{}'; retrying until it succeeds", this.options.topic,
						ex);
			}
		}
	}

	/** Publishes all changes that are in the history now. */
	private void publish() throws IOException, InterruptedException {
		deliver();
		ChangeBatch batch = new ChangeBatch(this.outbox.position());
		boolean repeated = this.outbox.position() == null && this.outbox.next() > 0;
		Iterator<StoredChange> changes = this.options.history.changes(this.options.pattern, this.outbox.position())
			.iterator();
		while (changes.hasNext()) {
			StoredChange change = changes.next();
			if (repeated) {
				batch.addGapBefore(change);
				repeated = false;
			}
			batch.add(change);
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
			if (record.size() > this.options.network.maxMessageSize()) {
				throw new DafkaException("A change has " + record.size() + " bytes, but 'maxMessageSize' of the Dafka "
						+ "network is " + this.options.network.maxMessageSize() + ". Raise it on all nodes");
			}
		}
		if (!records.isEmpty() || !Objects.equals(batch.position(), this.outbox.position())) {
			this.outbox.write(records, batch.position());
			deliver();
		}
	}

	/** Sends the records in the outbox, and waits until a Dafka store has them. */
	private void deliver() throws InterruptedException {
		List<Bytes> records = this.outbox.records();
		if (records.isEmpty()) {
			return;
		}
		Producer producer = this.producer;
		if (producer == null) {
			producer = startProducer();
			this.producer = producer;
		}
		try {
			for (Bytes record : records.subList(0, records.size() - 1)) {
				producer.send(this.options.topic, record);
			}
			await(producer.send(this.options.topic, records.get(records.size() - 1)));
		}
		catch (ExecutionException | RuntimeException ex) {
			// A new producer sends the same records with the same offsets.
			this.producer = null;
			producer.close(Duration.ZERO);
			throw new DafkaException("The records of topic '" + this.options.topic + "' cannot be sent", ex);
		}
		this.outbox.delivered();
	}

	/** Waits for a record. A store that has it has all records before it. */
	private void await(CompletableFuture<Position> last) throws InterruptedException, ExecutionException {
		boolean warned = false;
		while (true) {
			try {
				last.get(WARNING_SECONDS, TimeUnit.SECONDS);
				return;
			}
			catch (TimeoutException ex) {
				if (!warned) {
					warned = true;
					logger.warn(
							"No Dafka store has acknowledged changes in topic '{}' for {} s. Check that one runs, and "
									+ "that it is on the same network",
							this.options.topic, WARNING_SECONDS);
				}
			}
		}
	}

	/**
	 * Stops publishing, without waiting for the server or a Dafka store. The next start
	 * continues with the same record.
	 */
	@Override
	public void close() {
		this.executor.shutdownNow();
		boolean interrupted = false;
		try {
			this.executor.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		Producer producer = this.producer;
		if (producer != null) {
			producer.close(Duration.ZERO);
		}
		this.outbox.close();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Builder of a {@link ChangeTopic}. */
	public static final class Builder {

		private final StateHistory history;

		private final NodeOptions network;

		private final Path directory;

		private String topic = DEFAULT_TOPIC;

		private String pattern = "*";

		private Duration interval = Duration.ofSeconds(1);

		private Builder(StateHistory history, NodeOptions network, Path directory) {
			this.history = Objects.requireNonNull(history, "'history' must not be null");
			this.network = Objects.requireNonNull(network, "'network' must not be null");
			this.directory = Objects.requireNonNull(directory, "'directory' must not be null");
		}

		/**
		 * Sets the name of the topic, {@value ChangeTopic#DEFAULT_TOPIC} by default. Each
		 * store needs its own.
		 * @param topic the topic, 1 to 255 bytes of UTF-8 without NUL
		 * @return this builder
		 */
		public Builder topic(String topic) {
			Options.topic(topic);
			this.topic = topic;
			return this;
		}

		/**
		 * Sets the pattern of the keys, {@code *} by default. The server reads all
		 * changes behind the latest one that matches, so a pattern saves records, but no
		 * reading.
		 * @param pattern the pattern, as for a scan
		 * @return this builder
		 */
		public Builder pattern(String pattern) {
			this.pattern = Objects.requireNonNull(pattern, "'pattern' must not be null");
			return this;
		}

		/**
		 * Sets the time between two requests for new changes, and before a further
		 * attempt after a failure, one second by default.
		 * @param interval the time, 10 milliseconds to one day
		 * @return this builder
		 */
		public Builder interval(Duration interval) {
			Options.requireDuration("interval", interval, Duration.ofMillis(10));
			this.interval = interval;
			return this;
		}

		/**
		 * Starts to publish. The server need not be available.
		 * @return a running publisher
		 * @throws DafkaException if the directory cannot be used, belongs to another
		 * topic or pattern, or is in use, or if the node cannot listen. The message names
		 * the next step
		 */
		public ChangeTopic start() {
			return new ChangeTopic(this);
		}

	}

}
