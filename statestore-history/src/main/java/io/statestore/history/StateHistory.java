package io.statestore.history;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Options;
import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The history of a store: its changes from any point on, and its content at any version.
 * In the process of the broker {@link HistoryJournal#history()} reads the journal itself;
 * anywhere else {@link #over(NodeOptions)} reads the Dafka topic, from the broker or from
 * the Dafka stores that have it.
 * <p>
 * Safe for use by several threads; holds nothing open but what it has returned.
 */
public final class StateHistory {

	/** The topic of a history, unless told otherwise. */
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

	/** Read over a network: options to change. */
	public static Builder over(NodeOptions network) {
		return new Builder(network);
	}

	/**
	 * Read changes. The stream goes on with those that come, until it is closed.
	 * @throws HistoryException if the position in the query is not one of this history
	 * @throws io.statestore.dafka.DafkaException if a port for reading over the network
	 * cannot be bound
	 */
	public HistoryStream changes(HistoryQuery query) {
		return new HistoryStream(this.source, query);
	}

	/**
	 * What the store holds now.
	 * @throws HistoryException as in {@link #rebuild(Version)}
	 */
	public HistorySnapshot rebuild() {
		return build(null);
	}

	/**
	 * What the store held after the last change whose version is not greater than this
	 * one; where it lies in the future, what it holds now. <em>Now</em> is the last
	 * change that the journal has; over a network, that the broker and the stores which
	 * answered within the {@linkplain Builder#settle settling time} have told of. A key
	 * is there until its expiry, or the next start, is in the history.
	 * @throws HistoryException if no node has the history, or no change arrives within
	 * the {@linkplain Builder#timeout timeout}; if it does not reach back far enough,
	 * because retention has removed the start of the broker before this version, or
	 * changes after that start are gone; or if it is not the history of one store. Also
	 * when interrupted
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

	/** A store in the making. */
	private static final class Content {

		private final Map<Bytes, Entry> entries = new HashMap<>();

		/** Whether all is known since a start, and with that what the store held. */
		private boolean complete;

		private @Nullable HistoryChange last;

		void apply(HistoryChange change) {
			HistoryChange last = this.last;
			if (last != null && change.position().offset() != last.position().offset() + 1) {
				this.complete = false;
			}
			this.last = change;
			switch (change.operation()) {
				case START -> {
					this.entries.clear();
					this.complete = true;
				}
				case SET -> this.entries.put(change.key(), new Entry(change.value(), change.version()));
				case DELETE, EXPIRE -> this.entries.remove(change.key());
			}
		}

		HistorySnapshot snapshot(@Nullable Version version) {
			HistoryChange last = this.last;
			if (last == null || !this.complete) {
				throw new HistoryException("The history has no start of the broker "
						+ ((version != null) ? "before version " + version : "left")
						+ ", so what the store held is not known: retention has removed it, changes after it are gone,"
						+ " or the version is older");
			}
			return new HistorySnapshot(this.entries, last.version(), last.position());
		}

	}

	/** Named options. */
	public static final class Builder {

		private final NodeOptions network;

		private String topic = DEFAULT_TOPIC;

		private @Nullable String partition;

		private Duration settle = Duration.ofSeconds(2);

		private Duration timeout = Duration.ofSeconds(10);

		private Builder(NodeOptions network) {
			this.network = network;
		}

		/** The topic, {@value StateHistory#DEFAULT_TOPIC} by default. */
		public Builder topic(String topic) {
			Options.topic(topic);
			this.topic = topic;
			return this;
		}

		/**
		 * Which history, where the topic has several: the partition that
		 * {@link HistoryJournal#partition()} tells.
		 */
		public Builder partition(String partition) {
			Options.require(!partition.isEmpty() && partition.length() <= 255, "partition", '\'' + partition + '\'',
					"the name that HistoryJournal.partition() tells");
			this.partition = partition;
			return this;
		}

		/**
		 * How long a rebuild listens at least for how far the history goes, 2 s by
		 * default: twice the time in which nodes find each other.
		 */
		public Builder settle(Duration settle) {
			Options.requireDuration("settle", settle, Duration.ZERO);
			this.settle = settle;
			return this;
		}

		/** How long a rebuild waits for something to come, 10 s by default. */
		public Builder timeout(Duration timeout) {
			Options.requireDuration("timeout", timeout, Duration.ofMillis(1));
			this.timeout = timeout;
			return this;
		}

		public StateHistory build() {
			return new StateHistory(new TopicSource(this.network, this.topic, this.partition), this.settle,
					this.timeout);
		}

	}

}
