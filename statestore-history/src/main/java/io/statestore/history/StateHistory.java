package io.statestore.history;

import java.time.Duration;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Options;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * History of a store: its changes from any position, and its content at any version. In
 * the process of the broker, {@link HistoryJournal#history()} reads the journal. In other
 * processes, {@link #over(NodeOptions)} reads the Dafka topic, from the broker or from
 * Dafka stores.
 * <p>
 * Thread-safe. Uses resources only for the streams that it has returned.
 */
public final class StateHistory {

	/** Default topic of a history. */
	public static final String DEFAULT_TOPIC = "statestore-history";

	private static final Duration POLL = Duration.ofMillis(20);

	private final Source source;

	private final Duration settle;

	private final Duration timeout;

	StateHistory(Source source, Duration settle, Duration timeout) {
		this.source = source;
		this.settle = settle;
		this.timeout = timeout;
	}

	/**
	 * Returns a builder of a history that is read over a network.
	 * @param network options of the Dafka nodes
	 * @return a new builder
	 */
	public static Builder over(NodeOptions network) {
		return new Builder(network);
	}

	/**
	 * Opens a stream of changes, which continues with new changes until it is closed.
	 * @param query selection of changes
	 * @return a stream, which the caller must close
	 * @throws HistoryException if the position in the query belongs to another history
	 * @throws io.statestore.dafka.DafkaException if a port for reading over the network
	 * cannot be bound
	 */
	public HistoryStream changes(HistoryQuery query) {
		return new HistoryStream(this.source, query);
	}

	/**
	 * Returns the current content of the store.
	 * @return the content after the latest known change
	 * @throws HistoryException as in {@link #rebuild(Version)}
	 */
	public HistorySnapshot rebuild() {
		return build(null);
	}

	/**
	 * Returns the content of the store at a version, after the last change with this or a
	 * lower version. For a future version, this is the content after the latest known
	 * change: the latest one in the journal, or over a network, the latest one that the
	 * broker or a Dafka store has announced within the {@linkplain Builder#settle
	 * settling time}. A key that has expired remains in the content until the history
	 * records its expiry or an empty start of the store.
	 * @param version the version
	 * @return the content
	 * @throws HistoryException if no node has the history, or no change arrives within
	 * the {@linkplain Builder#timeout timeout}. Also if the content is unknown at this
	 * version, because retention has removed the changes that it consists of, later
	 * changes are unavailable, or changes at this version are missing. Also if the
	 * partition is not the history of a single store, or if the thread is interrupted
	 */
	public HistorySnapshot rebuild(Version version) {
		return build(version);
	}

	private HistorySnapshot build(@Nullable Version version) {
		try (HistoryStream stream = changes(HistoryQuery.all())) {
			Content content = new Content();
			long begin = System.nanoTime();
			long progress = begin;
			long end = -1;
			while (end < 0 || stream.position() < end) {
				HistoryChange change = stream.next(POLL, true);
				long now = System.nanoTime();
				if (change != null) {
					if (version != null && change.version().compareTo(version) > 0) {
						content.requireNothingLost(version, change);
						break;
					}
					content.apply(change);
					progress = now;
				}
				else if (now - progress > Math.max(this.timeout.toNanos(), this.settle.toNanos())) {
					throw stuck(stream);
				}
				if (end < 0 && now - begin >= this.settle.toNanos() && stream.lag() >= 0) {
					end = stream.position() + stream.lag();
				}
			}
			return content.snapshot(version);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new HistoryException("Interrupted while reading the history", ex);
		}
	}

	private HistoryException stuck(HistoryStream stream) {
		if (stream.lag() < 0) {
			return new HistoryException("No node has announced a history within " + this.timeout
					+ ": check the towers and the topic, and that the broker or a Dafka store with the history"
					+ " is running");
		}
		return new HistoryException("No change of the history after offset " + stream.position() + " has arrived for "
				+ this.timeout + ", " + stream.lag()
				+ " changes are missing: check that the broker or a Dafka store with these changes is running");
	}

	/** Builder of a {@link StateHistory}. */
	public static final class Builder {

		private final NodeOptions network;

		private String topic = DEFAULT_TOPIC;

		private @Nullable String partition;

		private Duration settle = Duration.ofSeconds(2);

		private Duration timeout = Duration.ofSeconds(10);

		private Builder(NodeOptions network) {
			this.network = network;
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
		 * Sets the partition, which is necessary if the topic has several histories.
		 * @param partition the name that {@link HistoryJournal#partition()} returns
		 * @return this builder
		 */
		public Builder partition(String partition) {
			Options.require(!partition.isEmpty() && partition.length() <= 255, "partition", '\'' + partition + '\'',
					"the name that HistoryJournal.partition() returns");
			this.partition = partition;
			return this;
		}

		/**
		 * Sets the minimum time for which a rebuild waits for announcements of the latest
		 * change, 2 s by default. Nodes find each other in half of this time.
		 * @param settle the time
		 * @return this builder
		 */
		public Builder settle(Duration settle) {
			Options.requireDuration("settle", settle, Duration.ZERO);
			this.settle = settle;
			return this;
		}

		/**
		 * Sets the maximum time without a change for which a rebuild waits, 10 s by
		 * default.
		 * @param timeout the time
		 * @return this builder
		 */
		public Builder timeout(Duration timeout) {
			Options.requireDuration("timeout", timeout, Duration.ofMillis(1));
			this.timeout = timeout;
			return this;
		}

		/**
		 * Returns the history. Nodes start only when changes are read.
		 * @return a new history
		 */
		public StateHistory build() {
			return new StateHistory(new TopicSource(this.network, this.topic, this.partition), this.settle,
					this.timeout);
		}

	}

}
