package io.statestore.history;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.RocksEngine;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Journal of all changes of a broker, in a directory. It can publish the changes on a
 * Dafka network, as one partition of a topic. Each journal belongs to one broker or
 * gateway, and must be closed after it.
 * <p>
 * The position of a change in the journal is its offset in the topic, so that restarts
 * and repetitions create no duplicates. The broker does not wait for the network. Nodes
 * fetch missing changes from the journal, or from a Dafka store that has them.
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

	private final LatestContent content;

	/** Whether the content of the store after a gap is incomplete so far. */
	private boolean afterGap;

	private HistoryJournal(Builder builder, Supplier<Engine> engines) {
		this.journal = new Journal(engines, Options.topic(builder.topic), builder.options);
		this.content = new LatestContent(builder.options);
		NodeOptions network = builder.network;
		AtomicReference<@Nullable JournalMachine> machine = new AtomicReference<>();
		try {
			if (builder.options.retains()) {
				this.journal.read(0, (sequence, content) -> {
					this.content.read(content);
					return true;
				});
				this.content.opened();
			}
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
	 * Returns a builder with default options.
	 * @param directory directory of the changes, which is created if necessary. Only one
	 * journal at a time may use it
	 * @return a new builder
	 */
	public static Builder builder(Path directory) {
		return new Builder(directory);
	}

	/**
	 * Returns the topic and the partition. The name of the partition is created with the
	 * directory, and does not change.
	 * @return topic and partition
	 */
	public TopicPartition partition() {
		return this.journal.key().names();
	}

	/**
	 * Returns the history. It reads the directory, without a network.
	 * @return a view of this journal
	 */
	public StateHistory history() {
		return new StateHistory((from) -> new JournalCursor(this.journal, from), Duration.ZERO, Duration.ofSeconds(10));
	}

	/**
	 * Returns the number of changes, including those that retention has removed.
	 * @return number of changes
	 */
	public long size() {
		return this.journal.next();
	}

	/**
	 * Returns the number of changes that a Dafka store has acknowledged since the start.
	 * Acknowledgments from before the start do not count.
	 * @return number of changes, 0 without a network
	 */
	public long acknowledged() {
		return (this.machine != null) ? this.machine.acknowledged() : 0;
	}

	/**
	 * Returns the failure that ended the network side, for health checks. The journal
	 * continues to record changes.
	 * @return the failure, or {@code null} while the network side works or there is none
	 */
	public @Nullable Throwable failure() {
		return (this.node != null) ? this.node.failure() : null;
	}

	@Override
	public @Nullable Version last() {
		byte[] last = this.journal.last();
		this.afterGap = last != null && ChangeCodec.isAfterGap(last);
		return (last != null) ? ChangeCodec
			.decode(new Position(partition().topic(), partition().partition(), this.journal.next() - 1), last)
			.version() : null;
	}

	@Override
	public boolean isAfterGap() {
		return this.afterGap;
	}

	@Override
	public void write(List<Change> changes) {
		boolean afterGap = this.afterGap;
		List<byte[]> contents = new ArrayList<>(changes.size());
		for (Change change : changes) {
			afterGap = switch (change.operation()) {
				case START -> false;
				case GAP -> true;
				default -> afterGap;
			};
			contents.add(encode(change, afterGap));
			afterGap = afterGap && change.operation() != Change.Operation.COMPLETE;
		}
		this.journal.write(contents);
		this.afterGap = afterGap;
		for (int i = 0; i < changes.size(); i++) {
			this.content.written(operation(changes.get(i)), contents.get(i).length);
		}
		if (this.node != null) {
			this.node.wake();
		}
	}

	@Override
	public boolean isContentDue() {
		return this.content.isDue();
	}

	@Override
	public void force() {
		this.journal.force();
	}

	private static byte[] encode(Change change, boolean afterGap) {
		return ChangeCodec.encode(operation(change), change.key(), change.value(), change.version(),
				change.keyVersion(), change.clientId(), change.principal(), afterGap);
	}

	private static Operation operation(Change change) {
		return switch (change.operation()) {
			case START -> Operation.START;
			case SET -> Operation.SET;
			case DELETE -> Operation.DELETE;
			case EXPIRE -> Operation.EXPIRE;
			case GAP -> Operation.GAP;
			case PRESENT -> Operation.PRESENT;
			case COMPLETE -> Operation.COMPLETE;
			case CONTENT -> Operation.CONTENT;
		};
	}

	/** Stops the network side and closes the directory. Idempotent. */
	@Override
	public void close() {
		if (this.node != null) {
			this.node.close();
		}
		this.journal.close();
	}

	/** Builder of a {@link HistoryJournal}. */
	public static final class Builder {

		private final Path directory;

		private String topic = StateHistory.DEFAULT_TOPIC;

		private JournalOptions options = JournalOptions.defaults();

		private @Nullable NodeOptions network;

		private Builder(Path directory) {
			this.directory = Objects.requireNonNull(directory, "'directory' must not be null");
		}

		/**
		 * Sets the topic, {@value StateHistory#DEFAULT_TOPIC} by default.
		 * @param topic the topic, 1 to 255 bytes of UTF-8 without NUL
		 * @return this builder
		 */
		public Builder topic(String topic) {
			Options.topic(topic);
			this.topic = topic;
			return this;
		}

		/**
		 * Publishes the history on a network. By default, only this process can read it.
		 * @param network options of the Dafka node
		 * @return this builder
		 */
		public Builder network(NodeOptions network) {
			this.network = network;
			return this;
		}

		/**
		 * Sets the minimum age of changes that retention removes. By default, none are
		 * removed. After half of this time, the store adds its content to the history, so
		 * that a rebuild can begin there.
		 * @param retentionTime a positive duration
		 * @return this builder
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
		 * Sets the maximum size of all changes, unlimited by default. Retention removes
		 * the oldest ones. It never removes the latest change, so slightly more may
		 * remain. After changes of half of this size, the store adds its content to the
		 * history, so that a rebuild can begin there. The size should therefore be at
		 * least four times that of the store.
		 * @param retentionBytes maximum number of bytes, at least 1
		 * @return this builder
		 */
		public Builder retentionBytes(long retentionBytes) {
			Options.requireAtLeast("retentionBytes", retentionBytes, 1);
			this.options = this.options.withRetentionBytes(retentionBytes);
			return this;
		}

		/**
		 * Opens the directory, checks all recorded changes, and starts the journal.
		 * @return the journal, which the caller must close
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
