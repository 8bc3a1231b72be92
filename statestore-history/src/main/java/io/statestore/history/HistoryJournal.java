package io.statestore.history;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.statestore.broker.server.Change;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.node.Node;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.RocksEngine;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every change of a broker in a directory, and offers it on the Dafka network as
 * one partition of a topic. Give it to one broker or gateway, and close it after that.
 * <p>
 * The place of a change in the journal is its offset in the topic, so that nothing is
 * there twice, whatever is restarted or sent again. Nothing waits for the network: who
 * was away fetches what is missing, from here or from a Dafka store that has it.
 *
 * <pre>{@code
 * HistoryJournal journal = HistoryJournal.builder(Path.of("history")).start();
 * StateStoreBroker broker = StateStoreBroker.builder().journal(journal).start();
 * }</pre>
 */
public final class HistoryJournal implements ChangeJournal, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(HistoryJournal.class);

	private final Journal journal;

	private final @Nullable Node node;

	private final @Nullable JournalMachine machine;

	private HistoryJournal(Builder builder, Supplier<Engine> engines) {
		this.journal = new Journal(engines, Options.topic(builder.topic), builder.options);
		NodeOptions network = builder.network;
		AtomicReference<@Nullable JournalMachine> machine = new AtomicReference<>();
		try {
			this.node = (network == null) ? null : new Node("statestore-history", network, (output) -> {
				JournalMachine made = new JournalMachine(this.journal, output, network.ticker().nanos());
				machine.set(made);
				return made;
			});
		}
		catch (RuntimeException ex) {
			this.journal.close();
			throw ex;
		}
		this.machine = machine.get();
	}

	/**
	 * Options to change.
	 * @param directory where the changes are kept; made if it is not there. One journal
	 * at a time may use it
	 */
	public static Builder builder(Path directory) {
		return new Builder(directory);
	}

	/** The topic, and the partition, whose name is made once for a directory. */
	public TopicPartition partition() {
		return this.journal.key().names();
	}

	/** The history as this process has it; reading it needs no network. */
	public StateHistory history() {
		return new StateHistory((from) -> new JournalCursor(this.journal, from), Duration.ZERO, Duration.ofSeconds(10));
	}

	/** How many changes there are, those that retention has removed included. */
	public long size() {
		return this.journal.next();
	}

	/** How many of them a Dafka store elsewhere has said to have since the start. */
	public long acknowledged() {
		return (this.machine != null) ? this.machine.acknowledged() : 0;
	}

	/**
	 * What ended the network side, {@code null} as long as it works; the journal goes on
	 * without.
	 */
	public @Nullable Throwable failure() {
		return (this.node != null) ? this.node.failure() : null;
	}

	@Override
	public @Nullable Version last() {
		byte[] last = this.journal.last();
		return (last != null) ? ChangeCodec
			.decode(new Position(partition().topic(), partition().partition(), this.journal.next() - 1), last)
			.version() : null;
	}

	@Override
	public void write(List<Change> changes) {
		this.journal.write(changes.stream().map(HistoryJournal::encode).toList());
		if (this.node != null) {
			this.node.wake();
		}
	}

	private static byte[] encode(Change change) {
		Operation operation = switch (change.operation()) {
			case START -> Operation.START;
			case SET -> Operation.SET;
			case DELETE -> Operation.DELETE;
			case EXPIRE -> Operation.EXPIRE;
		};
		return ChangeCodec.encode(operation, change.key(), change.value(), change.version(), change.clientId());
	}

	/** Stop and close the directory. Idempotent. */
	@Override
	public void close() {
		if (this.node != null) {
			this.node.close();
		}
		this.journal.close();
	}

	/** Named options. */
	public static final class Builder {

		private final Path directory;

		private String topic = StateHistory.DEFAULT_TOPIC;

		private JournalOptions options = JournalOptions.defaults();

		private @Nullable NodeOptions network;

		private Builder(Path directory) {
			this.directory = Objects.requireNonNull(directory, "'directory' must not be null");
		}

		/** The topic, {@value StateHistory#DEFAULT_TOPIC} by default. */
		public Builder topic(String topic) {
			Options.topic(topic);
			this.topic = topic;
			return this;
		}

		/**
		 * Publishes the history on this network. By default only this process can read
		 * it.
		 */
		public Builder network(NodeOptions network) {
			this.network = network;
			return this;
		}

		/**
		 * When to wait for the disk.
		 * @param fsync {@link Fsync#NEVER}, the default: changes survive the end of the
		 * process. {@link Fsync#BATCH}: and that of the machine; those that come together
		 * wait once
		 */
		public Builder fsync(Fsync fsync) {
			Options.require(fsync != Fsync.RECORD, "fsync", fsync, "NEVER or BATCH");
			this.options = this.options.withSync(fsync == Fsync.BATCH);
			return this;
		}

		/**
		 * How long changes are kept at least, for ever by default. The store can be
		 * rebuilt only as far back as there is a start of the broker.
		 */
		public Builder retentionTime(Duration retentionTime) {
			Options.require(
					!retentionTime.isNegative() && !retentionTime.isZero()
							&& retentionTime.compareTo(JournalOptions.FOR_EVER) <= 0,
					"retentionTime", retentionTime,
					"positive and at most " + JournalOptions.FOR_EVER.toDays() + " days");
			this.options = this.options.withRetentionTime(retentionTime);
			return this;
		}

		/**
		 * How many bytes are kept at most, the newest; no limit by default. A few more
		 * remain so that the last change always does.
		 */
		public Builder retentionBytes(long retentionBytes) {
			Options.requireAtLeast("retentionBytes", retentionBytes, 1);
			this.options = this.options.withRetentionBytes(retentionBytes);
			return this;
		}

		/**
		 * Opens the directory, checks all recorded changes, and starts.
		 * @return the journal, to be closed
		 * @throws io.statestore.dafka.DafkaException if the directory or the port cannot
		 * be used, or records are damaged
		 */
		public HistoryJournal start() {
			HistoryJournal journal = start(() -> RocksEngine.open(this.directory));
			logger.info("Recording changes in {}, topic {}: {} changes so far", this.directory.toAbsolutePath(),
					this.topic, journal.size());
			return journal;
		}

		HistoryJournal start(Supplier<Engine> engines) {
			return new HistoryJournal(this, engines);
		}

	}

}
