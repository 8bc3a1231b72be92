package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.PartitionLimit;
import io.statestore.dafka.node.WarningLimit;
import io.statestore.dafka.reading.FetchRange;
import io.statestore.dafka.reading.GapFiller;
import io.statestore.dafka.reading.ReadingBudget;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Decoder;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.HeaderCache;
import io.statestore.dafka.wire.PartitionKey;
import io.statestore.dafka.wire.SequencedHeader;
import io.statestore.dafka.wire.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer without sockets and threads: finds partitions, reads them, and fetches what
 * it misses.
 */
final class ConsumerMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(ConsumerMachine.class);

	/** Intervals by which lists under way may put off the next request for them. */
	private static final int MAX_POSTPONED = 10;

	/** Partitions whose producers are slowed down in each sweep; the others are next. */
	private static final int MAX_HOLDS = 2_000;

	/** Time for which a partition that was behind tells its producer how far it is. */
	private static final long HOLD_NANOS = 1_000_000_000;

	private static final long SWEEP_NANOS = 100_000_000;

	private final Bytes address;

	private final Set<Bytes> topics;

	private final long headsNanos;

	private final Output output;

	private final Delivery delivery;

	private final Partitions partitions;

	private final StoreListings listings;

	private final Backpressure backpressure;

	private final HeaderCache<ReadPartition> headers = new HeaderCache<>();

	/** Partitions that have records for the listener. */
	private final Set<ReadPartition> readable = new LinkedHashSet<>();

	private final GapFiller<ReadPartition> gaps = new GapFiller<>((partition) -> partition.reader, this::request);

	/** Partitions for which there was no room. */
	private final Set<ReadPartition> blocked = new LinkedHashSet<>();

	/** Partitions that were behind without a store, and when last. */
	private final Map<ReadPartition, Long> behind = new LinkedHashMap<>();

	private final Queue<Position> seeks = new ConcurrentLinkedQueue<>();

	final LongAdder fetches = new LongAdder();

	final LongAdder lost = new LongAdder();

	final PartitionLimit limit;

	private final WarningLimit missingWarnings;

	private volatile boolean roomAgain;

	private long now;

	/** When a store last appeared or left. */
	private long storesChangedAt;

	private long nextHeads;

	/** When the latest head of a store arrived. */
	private long headAt;

	private int postponed;

	private long nextSweep;

	ConsumerMachine(Bytes address, Set<Bytes> topics, ReadingOptions reading, long headsNanos, long backpressureNanos,
			Map<TopicPartition, Long> stored, long beginning, PartitionLimit limit, Output output, Delivery delivery,
			long now) {
		this.address = address;
		this.topics = topics;
		this.headsNanos = headsNanos;
		this.limit = limit;
		this.output = output;
		this.delivery = delivery;
		this.now = now;
		this.storesChangedAt = now;
		this.nextHeads = now + headsNanos;
		this.headAt = now - headsNanos;
		this.nextSweep = now + SWEEP_NANOS;
		this.missingWarnings = new WarningLimit();
		this.listings = new StoreListings(topics);
		this.backpressure = new Backpressure(backpressureNanos, now);
		ReadingBudget budget = new ReadingBudget(reading.windowBytes());
		this.partitions = new Partitions(stored, beginning, limit,
				(key, next) -> new ReadPartition(key, reading, next, budget, this, this.now), this::removed, now);
	}

	Delivery delivery() {
		return this.delivery;
	}

	/** To be read by any thread. */
	Partitions partitions() {
		return this.partitions;
	}

	/** To be read by any thread. */
	Completeness completeness() {
		return this.listings.completeness();
	}

	/** From any thread; the node has to be woken. */
	void seek(Position position) {
		this.seeks.add(position);
	}

	/** From any thread; the node has to be woken. */
	void roomAgain() {
		this.roomAgain = true;
	}

	void readable(ReadPartition partition) {
		this.readable.add(partition);
	}

	void blocked(ReadPartition partition) {
		this.backpressure.full(hasStore(), this.now);
		this.blocked.add(partition);
		if (!hasStore() && this.behind.put(partition, this.now) == null) {
			// At once: the producer may be about to close, and what it has sent is not
			// read.
			this.nextSweep = this.now;
		}
	}

	void lost(long count) {
		this.lost.add(count);
	}

	void missing(TopicPartition partition, long record) {
		if (this.missingWarnings.permits(this.now)) {
			logger.warn("No node gives record {} of {}: waiting for a store that has it, or for its producer."
					+ " Similar messages left out: {}", record, partition, this.missingWarnings.suppressed());
		}
	}

	private void removed(ReadPartition partition) {
		this.gaps.remove(partition);
		this.blocked.remove(partition);
		this.behind.remove(partition);
		this.headers.clear();
	}

	@Override
	public List<byte[]> subscriptions() {
		List<byte[]> subscriptions = new ArrayList<>(Subscriptions.consumer(this.address));
		this.topics.forEach((topic) -> subscriptions.addAll(Subscriptions.topic(topic)));
		return subscriptions;
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		ReadPartition partition = (content != null) ? this.headers.find(header) : null;
		if (partition != null && content != null) {
			long sequence = SequencedHeader.sequence(header);
			boolean valid = sequence >= 0 && sequence < Command.MAX_SEQUENCE;
			if (valid) {
				record(partition, sequence, content, Encoder.isDirect(header), now);
			}
			return valid;
		}
		Command command = Decoder.decode(header, content);
		if (command instanceof Command.Record record && content != null && this.topics.contains(record.subject())) {
			partition = this.partitions.open(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, false, now);
			}
		}
		else if (command instanceof Command.DirectRecord record && content != null
				&& record.recipient().equals(this.address)) {
			partition = this.partitions.find(new PartitionKey(record.address(), record.subject()));
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, true, now);
			}
		}
		else if (command instanceof Command.Head head && this.topics.contains(head.subject())) {
			partition = this.partitions.open(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				partition.publishedHead(head.sequence(), now);
				this.gaps.add(partition);
			}
		}
		else if (command instanceof Command.DirectHead head && head.recipient().equals(this.address)
				&& this.topics.contains(head.subject())) {
			this.listings.head(head.subject());
			storedHead(new PartitionKey(head.address(), head.subject()), head.sequence(), now);
		}
		else if (command instanceof Command.EndOfHeads end && end.recipient().equals(this.address)) {
			this.listings.end(end.address(), end.subject(), end.count());
		}
		else if (command instanceof Command.StoreHello hello && hello.recipient().equals(this.address)) {
			hello(hello.sender());
		}
		return command != null;
	}

	private void record(ReadPartition partition, long sequence, byte[] content, boolean direct, long now) {
		partition.heardAt = now;
		if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.published(sequence, content, now);
		}
		this.gaps.add(partition);
	}

	private void storedHead(PartitionKey key, long sequence, long now) {
		this.headAt = now;
		ReadPartition partition = this.partitions.openStored(key, sequence, now);
		if (partition != null) {
			partition.reader.storedHead(sequence, now);
			this.gaps.add(partition);
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		if (Subscriptions.isEndOfHeads(prefix)) {
			this.listings.confirms(Subscriptions.name(prefix));
		}
		else if (Subscriptions.isStore(prefix)) {
			if (this.listings.found(Subscriptions.name(prefix))) {
				this.storesChangedAt = now;
			}
			hello(Subscriptions.name(prefix));
		}
		else if (Subscriptions.isGetHeads(prefix)) {
			getHeads();
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		if ((Subscriptions.isEndOfHeads(prefix) || Subscriptions.isStore(prefix))
				&& this.listings.left(Subscriptions.name(prefix))) {
			this.storesChangedAt = this.now;
		}
	}

	private void hello(Bytes store) {
		this.output.send(new Command.ConsumerHello(store, this.address, List.copyOf(this.topics)));
	}

	private void getHeads() {
		this.topics.forEach((topic) -> this.output.send(new Command.GetHeads(topic, this.address)));
	}

	@Override
	public boolean isFull() {
		return this.backpressure.isOn();
	}

	@Override
	public long work(long now) {
		this.now = now;
		for (Position seek = this.seeks.poll(); seek != null; seek = this.seeks.poll()) {
			ReadPartition partition = this.partitions.make(new PartitionKey(
					Bytes.wrap(seek.partition().getBytes(StandardCharsets.ISO_8859_1)), Bytes.of(seek.topic())));
			partition.seek(seek.offset(), now);
			this.gaps.add(partition);
		}
		relieve(now);
		this.readable.forEach(ReadPartition::handOver);
		this.readable.clear();
		long next = this.gaps.work(now, now + this.headsNanos);
		if (now - this.nextHeads >= 0) {
			requestHeads(now);
		}
		if (now - this.nextSweep >= 0) {
			this.nextSweep = now + SWEEP_NANOS;
			this.partitions.sweep(now);
			if (!hasStore()) {
				hold(now);
			}
		}
		if (this.backpressure.isOn()) {
			next = Math.min(next, now + Backpressure.POLL_NANOS);
		}
		return Math.min(next, Math.min(this.nextHeads, this.nextSweep));
	}

	/** Returns the number of connected stores. */
	int stores() {
		return this.listings.size();
	}

	/** Returns when a store last appeared or left. */
	long storesChangedAt() {
		return this.storesChangedAt;
	}

	private boolean hasStore() {
		return !this.listings.isEmpty();
	}

	/**
	 * Requests the next record of each partition that is or was behind. Without a store,
	 * this tells their producers which records to keep.
	 */
	private void hold(long now) {
		Stream.of(this.blocked, this.gaps.active(), this.gaps.queued())
			.flatMap(Collection::stream)
			.forEach((partition) -> this.behind.put(partition, now));
		this.behind.entrySet().removeIf((entry) -> now - entry.getValue() > HOLD_NANOS);
		List<ReadPartition> held = this.behind.keySet().stream().limit(MAX_HOLDS).toList();
		for (ReadPartition partition : held) {
			// Behind the others.
			this.behind.put(partition, Objects.requireNonNull(this.behind.remove(partition)));
			if (partition.reader.next() >= 0) {
				this.output.send(new Command.Fetch(partition.key().address(), this.address, partition.key().subject(),
						partition.reader.next(), 1));
			}
		}
	}

	/** A list that is under way is not requested again. */
	private void requestHeads(long now) {
		boolean underWay = now - this.headAt < this.headsNanos && this.postponed < MAX_POSTPONED;
		this.postponed = underWay ? this.postponed + 1 : 0;
		this.nextHeads = (underWay ? this.headAt : now) + this.headsNanos;
		if (now - this.headAt >= this.headsNanos) {
			this.listings.clearHeads();
		}
		if (!underWay) {
			getHeads();
		}
	}

	/**
	 * Continues with partitions for which there was no room. Without a store, any room
	 * will do: a producer waits only for consumers that make progress.
	 */
	private void relieve(long now) {
		if (this.roomAgain || (!hasStore() && !this.blocked.isEmpty() && this.delivery.hasRoom())) {
			this.roomAgain = false;
			this.backpressure.end(now);
			resume(now);
		}
		this.backpressure.check(hasStore(), now);
		if (!this.blocked.isEmpty() && !this.delivery.hasRoom()) {
			this.backpressure.full(hasStore(), now);
		}
	}

	private void resume(long now) {
		for (ReadPartition partition : List.copyOf(this.blocked)) {
			if (!this.delivery.hasRoom()) {
				break;
			}
			this.blocked.remove(partition);
			partition.reader.resume(now);
			this.gaps.add(partition);
		}
	}

	private void request(ReadPartition partition, FetchRange range) {
		this.fetches.increment();
		this.output.send(new Command.Fetch(partition.key().address(), this.address, partition.key().subject(),
				range.first(), range.count()));
	}

	@Override
	public void closed() {
	}

}
