package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.internal.WarningLimit;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import io.statestore.dafka.reading.internal.ReadingMachine;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine of a consumer, without sockets and threads. Finds partitions, reads them,
 * and fetches missing records. Used by one thread, except where noted.
 */
final class ConsumerMachine extends ReadingMachine<ReadPartition> implements ReadPartition.Owner {

	private static final Logger logger = LoggerFactory.getLogger(ConsumerMachine.class);

	private static final long SWEEP_NANOS = 100_000_000;

	/**
	 * Maximum number of intervals by which a list of heads that is being received
	 * postpones the next request.
	 */
	private static final int MAX_POSTPONED = 10;

	final LongAdder fetches = new LongAdder();

	final LongAdder lost = new LongAdder();

	final PartitionLimit limit;

	private final Set<Bytes> topics;

	private final long headsNanos;

	private final Partitions partitions;

	private final StoreListings listings;

	private final Backpressure backpressure;

	private final BlockedPartitions blocked;

	/** Partitions with records that were not handed to the listener yet. */
	private final Set<ReadPartition> readable = new LinkedHashSet<>();

	private final Queue<Position> seeks = new ConcurrentLinkedQueue<>();

	private final WarningLimit missingWarnings = new WarningLimit();

	private long now;

	private long nextSweep;

	/** Time of the next request for heads. */
	private long nextHeads;

	/** Time when the latest head arrived from a store. */
	private long headReceivedAt;

	private int postponedHeads;

	ConsumerMachine(Bytes address, Set<Bytes> topics, ReadingOptions reading, long headsNanos, long backpressureNanos,
			Map<TopicPartition, Long> stored, long beginning, PartitionLimit limit, Machine.Output output,
			Delivery delivery, long now) {
		super(address, output, reading);
		this.topics = topics;
		this.headsNanos = headsNanos;
		this.limit = limit;
		this.now = now;
		this.nextSweep = now + SWEEP_NANOS;
		this.listings = new StoreListings(topics, now);
		this.nextHeads = now + headsNanos;
		this.headReceivedAt = now - headsNanos;
		this.backpressure = new Backpressure(backpressureNanos, now);
		this.blocked = new BlockedPartitions(delivery.waiting(), this.backpressure, this::fillGap);
		this.partitions = new Partitions(stored, beginning, limit, (key, next) -> new ReadPartition(key,
				reading.lossTimeout(), next, this, this.listings, delivery, this.now), this::removed, now);
	}

	/** Returns the partitions, which any thread may read. */
	Partitions partitions() {
		return this.partitions;
	}

	/** Returns the completeness of the partitions. Any thread may call it. */
	Completeness completeness() {
		return this.listings.completeness();
	}

	/** Schedules a seek. Any thread may call it, and wakes the node afterwards. */
	void seek(Position position) {
		this.seeks.add(position);
	}

	@Override
	public void addReadable(ReadPartition partition) {
		this.readable.add(partition);
	}

	@Override
	public void addBlocked(ReadPartition partition) {
		if (this.blocked.add(partition, hasStore(), this.now)) {
			this.nextSweep = this.now;
		}
	}

	@Override
	public void countLost(long count) {
		this.lost.add(count);
	}

	@Override
	public void reportMissing(TopicPartition partition, long record) {
		this.missingWarnings.warn(logger, this.now,
				"No node sends record {} of {}; waiting for its producer, or for a store that has it", record,
				partition);
	}

	private void removed(ReadPartition partition) {
		remove(partition);
		this.blocked.remove(partition);
	}

	@Override
	public List<byte[]> subscriptions() {
		List<byte[]> subscriptions = new ArrayList<>(Subscriptions.consumer(this.address));
		this.topics.forEach((topic) -> subscriptions.addAll(Subscriptions.topic(topic)));
		return subscriptions;
	}

	@Override
	protected @Nullable ReadPartition open(PartitionKey key, long now) {
		return this.topics.contains(key.subject()) ? this.partitions.open(key, now) : null;
	}

	@Override
	protected @Nullable ReadPartition openRequested(PartitionKey key, long now) {
		return this.partitions.find(key);
	}

	@Override
	protected void received(Command command, long now) {
		if (command instanceof Command.EndOfHeads end && end.recipient().equals(this.address)) {
			this.listings.endList(end.address(), end.subject(), end.count());
		}
		else if (command instanceof Command.StoreHello hello && hello.recipient().equals(this.address)) {
			hello(hello.sender());
		}
	}

	@Override
	protected void record(ReadPartition partition, long sequence, byte[] content, boolean direct, long now) {
		partition.heardAt = now;
		if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.published(sequence, content, now);
		}
		fillGap(partition);
	}

	@Override
	protected void head(ReadPartition partition, long sequence, long now) {
		partition.publishedHead(sequence, now);
		fillGap(partition);
	}

	@Override
	protected void storedHead(PartitionKey key, long sequence, long now) {
		if (!this.topics.contains(key.subject())) {
			return;
		}
		this.listings.countHead(key.subject());
		this.headReceivedAt = now;
		ReadPartition partition = this.partitions.openStored(key, sequence, now);
		if (partition != null) {
			partition.reader.storedHead(sequence, now);
			fillGap(partition);
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		if (Subscriptions.isEndOfHeads(prefix)) {
			this.listings.addConfirming(Subscriptions.name(prefix));
		}
		else if (Subscriptions.isStore(prefix)) {
			this.listings.add(Subscriptions.name(prefix), now);
			hello(Subscriptions.name(prefix));
		}
		else if (Subscriptions.isGetHeads(prefix)) {
			getHeads();
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		if (Subscriptions.isEndOfHeads(prefix) || Subscriptions.isStore(prefix)) {
			this.listings.remove(Subscriptions.name(prefix), this.now);
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
			ReadPartition partition = this.partitions.getOrCreate(new PartitionKey(
					Bytes.wrap(seek.partition().getBytes(StandardCharsets.ISO_8859_1)), Bytes.of(seek.topic())));
			partition.seek(seek.offset(), now);
			fillGap(partition);
		}
		this.blocked.resume(hasStore(), now);
		this.readable.forEach(ReadPartition::handOver);
		this.readable.clear();
		long next = requestMissing(now, now + this.headsNanos);
		if (now - this.nextHeads >= 0) {
			requestHeads(now);
		}
		if (now - this.nextSweep >= 0) {
			this.nextSweep = now + SWEEP_NANOS;
			this.partitions.sweep(now);
			if (!hasStore()) {
				this.blocked.hold(incomplete(), (partition, record) -> fetch(partition, record, 1), now);
			}
		}
		if (this.backpressure.isOn()) {
			next = Math.min(next, now + Backpressure.POLL_NANOS);
		}
		return Math.min(next, Math.min(this.nextHeads, this.nextSweep));
	}

	private boolean hasStore() {
		return !this.listings.isEmpty();
	}

	@Override
	protected void requested() {
		this.fetches.increment();
	}

	@Override
	public void closed() {
	}

	/** Requests the heads of all partitions, unless a list of them is being received. */
	private void requestHeads(long now) {
		boolean receiving = now - this.headReceivedAt < this.headsNanos;
		if (!receiving) {
			this.listings.clearHeads();
		}
		boolean postpone = receiving && this.postponedHeads < MAX_POSTPONED;
		this.postponedHeads = postpone ? this.postponedHeads + 1 : 0;
		this.nextHeads = (postpone ? this.headReceivedAt : now) + this.headsNanos;
		if (!postpone) {
			getHeads();
		}
	}

}
