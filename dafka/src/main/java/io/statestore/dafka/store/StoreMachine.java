package io.statestore.dafka.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.FetchAnswers;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import io.statestore.dafka.reading.internal.ReadingMachine;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.jspecify.annotations.Nullable;

/**
 * Store state machine, without sockets or threads. Stores the records that arrive,
 * requests missing records, and answers requests. Callers pass in the time. Not
 * thread-safe, except for its counters, which any thread may read.
 */
final class StoreMachine extends ReadingMachine<StorePartition> {

	private static final int MAX_TOPICS = 1_000;

	private static final long COUNT_NANOS = 500_000_000;

	/**
	 * Topics that a store requests from other stores. In the reference implementation, a
	 * topic also matches all topics that begin with it, so an empty topic matches all
	 * topics.
	 */
	private static final List<Bytes> EVERY_TOPIC = List.of(Bytes.EMPTY);

	/** Size of appended records, in bytes, at which they are written immediately. */
	private static final long MAX_PENDING_BYTES = 8 << 20;

	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long IDLE_AT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long SWEEP_AT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Store.Builder settings;

	private final RecordLog log;

	private final HeadPasses heads;

	private final Subscriptions.Subscribers recordSubscribers = new Subscriptions.Subscribers(
			Subscriptions::isDirectRecords);

	private final Subscriptions.Subscribers headSubscribers = new Subscriptions.Subscribers(
			Subscriptions::isDirectHeads);

	private final FetchAnswers answers;

	private final LossRules losses;

	final PartitionLimit limit;

	final LongAdder stored = new LongAdder();

	final LongAdder duplicates = new LongAdder();

	final LongAdder lost = new LongAdder();

	final LongAdder late = new LongAdder();

	/** Partitions with acknowledgments to send. */
	private final Deque<StorePartition> acknowledging = new ArrayDeque<>();

	/** Live partitions. Only they count toward the limit. */
	private final Map<PartitionKey, StorePartition> live = new HashMap<>();

	private long now;

	private long nextCount;

	private long nextRetention;

	private long nextReplication;

	volatile int partitionCount;

	volatile int stuck;

	volatile long bytes;

	private long sweptAt;

	private long discardedAt;

	StoreMachine(Bytes address, Store.Builder settings, PartitionLimit limit, RecordLog log, Machine.Output output,
			long now) {
		super(address, output, settings.reading);
		this.settings = settings;
		this.log = log;
		this.now = now;
		this.losses = new LossRules(settings.reading, settings.replicationInterval, now);
		this.heads = new HeadPasses(address, output);
		this.limit = limit;
		this.answers = new FetchAnswers(output, this::read);
		this.sweptAt = now;
		this.discardedAt = now - SWEEP_AT_LIMIT_NANOS;
		this.nextRetention = now;
		this.nextCount = now + COUNT_NANOS;
		this.nextReplication = now + settings.replicationInterval.toNanos();
		log.partitions().forEach(this.heads::add);
		this.partitionCount = log.partitions().size();
	}

	/** Returns the number of records sent on request. Safe for any thread. */
	long fetched() {
		return this.answers.sent();
	}

	@Override
	public List<byte[]> subscriptions() {
		return Subscriptions.store(this.address);
	}

	@Override
	protected @Nullable StorePartition openRequested(PartitionKey key, long now) {
		return open(key, now);
	}

	@Override
	protected void received(Command command, long now) {
		if (command instanceof Command.Fetch fetch) {
			fetch(fetch, now);
		}
		else if (command instanceof Command.GetHeads get) {
			if (this.headSubscribers.contains(get.sender())) {
				this.heads.start(get.sender(), get.subject());
			}
		}
		else if (command instanceof Command.ConsumerHello hello && hello.recipient().equals(this.address)) {
			hello(hello);
		}
	}

	@Override
	protected void record(StorePartition partition, long sequence, byte[] content, boolean direct, long now) {
		if (direct) {
			this.losses.answered(now);
		}
		if (sequence < partition.reader.next()) {
			repeated(partition, sequence, now);
		}
		else {
			super.record(partition, sequence, content, direct, now);
		}
		writeIfDue();
	}

	/**
	 * Handles a record before the next record: a repeated record or a record declared
	 * lost.
	 */
	private void repeated(StorePartition partition, long sequence, long now) {
		acknowledge(partition);
		if (!partition.isLost(sequence)) {
			this.duplicates.increment();
			return;
		}
		this.late.increment();
		this.losses.reportLate(sequence, partition.key.names(), now);
	}

	@Override
	protected void announced(StorePartition partition) {
		if (!partition.reader.isWaiting()) {
			acknowledge(partition);
		}
	}

	/**
	 * Handles a head sent by another store. A partition that is complete in this store
	 * does not become live.
	 */
	@Override
	protected void storedHead(PartitionKey key, long sequence, long now) {
		StoredPartition stored = this.log.find(key);
		if (stored == null || stored.next() <= sequence) {
			StorePartition partition = open(key, now);
			if (partition != null) {
				partition.announcedAt = now;
				partition.reader.storedHead(sequence, now);
				fillGap(partition);
			}
		}
	}

	private void fetch(Command.Fetch fetch, long now) {
		PartitionKey key = new PartitionKey(fetch.address(), fetch.subject());
		StorePartition live = this.live.get(key);
		if (live != null) {
			this.losses.requested(fetch.sender(), live, fetch.sequence(), now);
		}
		StoredPartition partition = this.log.find(key);
		if (partition != null && !fetch.sender().equals(this.address)
				&& this.recordSubscribers.contains(fetch.sender())) {
			this.answers.add(fetch.sender(), key, fetch.sequence(),
					Math.min(fetch.sequence() + fetch.count(), partition.next()));
		}
	}

	private void read(PartitionKey key, long first, long end, FetchAnswers.Visitor visitor) {
		StoredPartition partition = this.log.find(key);
		if (partition != null) {
			this.log.read(partition, first, (sequence, content) -> visitor.visit(sequence, Bytes.wrap(content)));
		}
	}

	/**
	 * Answers a consumer, or a store that requests the heads of all topics. Stores of
	 * earlier versions send no topic.
	 */
	private void hello(Command.ConsumerHello hello) {
		if (!this.headSubscribers.contains(hello.sender())) {
			return;
		}
		if (hello.subjects().isEmpty() || hello.subjects().equals(EVERY_TOPIC)) {
			if (this.losses.otherStores().contains(hello.sender())) {
				this.heads.start(hello.sender(), null);
			}
			return;
		}
		hello.subjects().stream().limit(MAX_TOPICS).forEach((subject) -> this.heads.start(hello.sender(), subject));
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		Bytes name = Subscriptions.name(prefix);
		this.recordSubscribers.subscribed(prefix);
		this.headSubscribers.subscribed(prefix);
		if (Subscriptions.isEndOfHeads(prefix)) {
			this.heads.confirm(name);
		}
		if (Subscriptions.isConsumer(prefix)) {
			this.output.send(new Command.StoreHello(name, this.address));
		}
		else if (Subscriptions.isStore(prefix) && !name.equals(this.address) && this.losses.appeared(name, now)) {
			this.output.send(new Command.ConsumerHello(name, this.address, EVERY_TOPIC));
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		this.recordSubscribers.unsubscribed(prefix);
		this.headSubscribers.unsubscribed(prefix);
		if (Subscriptions.isStore(prefix)) {
			this.losses.left(Subscriptions.name(prefix), this.now);
		}
		if (Subscriptions.isEndOfHeads(prefix)) {
			this.heads.leave(Subscriptions.name(prefix));
		}
	}

	@Override
	public long work(long now) {
		this.now = now;
		write();
		long next = now + this.settings.replicationInterval.toNanos();
		next = requestMissing(now, next);
		if (!sendAcknowledgments() || this.heads.work()) {
			next = this.output.hasRoom() ? now : now + Machine.Output.RETRY_NANOS;
		}
		boolean room = this.answers.work();
		if (!this.answers.isEmpty()) {
			next = Math.min(next, room ? now : now + Machine.Output.RETRY_NANOS);
		}
		if (now - this.nextCount >= 0) {
			this.nextCount = now + COUNT_NANOS;
			this.stuck = stuck();
			if (now - this.sweptAt >= SWEEP_NANOS) {
				sweep(false, now);
			}
		}
		if (now - this.nextReplication >= 0) {
			this.nextReplication = now + this.settings.replicationInterval.toNanos();
			this.losses.otherStores()
				.forEach((store) -> this.output.send(new Command.ConsumerHello(store, this.address, EVERY_TOPIC)));
		}
		if (now - this.nextRetention >= 0) {
			this.nextRetention = now + this.settings.retentionInterval.toNanos();
			retain();
		}
		return Math.min(next, Math.min(this.nextCount, Math.min(this.nextReplication, this.nextRetention)));
	}

	/** Writes appended records if they cannot wait for the end of the turn. */
	private void writeIfDue() {
		if (this.settings.fsync == Fsync.RECORD || this.log.pendingBytes() > MAX_PENDING_BYTES) {
			write();
		}
	}

	private void write() {
		boolean sync = this.settings.fsync != Fsync.NEVER;
		for (StoredPartition written : this.log.flush(sync, this.settings.time.millis())) {
			StorePartition partition = this.live.get(written.key());
			if (partition != null) {
				announce(partition);
				acknowledge(partition);
			}
		}
		this.bytes = this.log.bytes();
	}

	private void announce(StorePartition partition) {
		if (!partition.announced) {
			partition.announced = true;
			this.heads.add(partition.stored);
		}
	}

	/** Schedules an acknowledgment of the partition's last written record. */
	private void acknowledge(StorePartition partition) {
		if (!partition.acknowledging) {
			partition.acknowledging = true;
			this.acknowledging.add(partition);
		}
	}

	/** Sends acknowledgments while there is room. Returns whether all were sent. */
	private boolean sendAcknowledgments() {
		while (!this.acknowledging.isEmpty() && this.output.hasRoom()) {
			StorePartition partition = this.acknowledging.remove();
			partition.acknowledging = false;
			if (partition.stored.next() > 0) {
				this.output.send(
						new Command.Ack(partition.key.address(), partition.key.subject(), partition.stored.next() - 1));
			}
		}
		return this.acknowledging.isEmpty();
	}

	private void retain() {
		if (this.settings.retentionTime.equals(Store.FOREVER) && this.log.bytes() <= this.settings.retentionBytes) {
			return;
		}
		long oldest = this.settings.time.millis() - this.settings.retentionTime.toMillis();
		this.log.retain(oldest, this.settings.retentionBytes);
	}

	@Override
	public void closed() {
		try {
			write();
		}
		finally {
			this.log.close();
		}
	}

	/**
	 * Returns a partition, making it live if necessary, or {@code null} if the limit is
	 * reached. If memory is exhausted, inactive partitions without records are removed
	 * from the log.
	 */
	@Override
	protected @Nullable StorePartition open(PartitionKey key, long now) {
		StorePartition partition = this.live.get(key);
		if (partition == null) {
			if (this.limit.isReached(this.live.size()) && now - this.sweptAt >= SWEEP_AT_LIMIT_NANOS) {
				sweep(true, now);
			}
			if (this.limit.isFull(this.log.partitions().size()) && now - this.discardedAt >= SWEEP_AT_LIMIT_NANOS) {
				this.discardedAt = now;
				this.heads.remove(this.log.removeEmpty((stored) -> this.live.containsKey(stored.key())));
			}
			if (!this.limit.admits(this.live.size(), this.log.partitions().size(), key, now)) {
				return null;
			}
			partition = new LogPartition(this.log.partition(key));
			this.partitionCount = this.log.partitions().size();
			this.live.put(key, partition);
		}
		partition.heardAt = now;
		return partition;
	}

	/**
	 * Removes partitions after a minute of inactivity, or after five seconds if the limit
	 * is reached. Their records stay in the log.
	 */
	private void sweep(boolean atLimit, long now) {
		this.sweptAt = now;
		write();
		for (Iterator<StorePartition> each = this.live.values().iterator(); each.hasNext();) {
			StorePartition partition = each.next();
			if (isIdle(partition, atLimit, now)) {
				each.remove();
				partition.reader.close();
				this.log.discard(partition.stored);
				remove(partition);
			}
		}
		this.partitionCount = this.log.partitions().size();
	}

	/**
	 * Returns whether a partition may be removed. A partition with a gap is kept longer,
	 * so that another store can announce its records again.
	 */
	private boolean isIdle(StorePartition partition, boolean atLimit, long now) {
		long silent = now - partition.heardAt;
		if (partition.acknowledging || silent < IDLE_AT_LIMIT_NANOS) {
			return false;
		}
		return partition.reader.isWaiting() ? atLimit && silent >= IDLE_NANOS : atLimit || silent >= IDLE_NANOS;
	}

	/** Partition that writes the records from its reader. Accepts every record. */
	private final class LogPartition extends StorePartition {

		LogPartition(StoredPartition stored) {
			super(StoreMachine.this, stored, StoreMachine.this.now);
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			StoreMachine.this.log.append(this.stored, content);
			StoreMachine.this.stored.increment();
			return true;
		}

		@Override
		public void lost(long first, long last) {
			write();
			StoreMachine.this.log.lost(this.stored, last + 1, StoreMachine.this.settings.time.millis());
			StoreMachine.this.lost.add(last - first + 1);
			announce(this);
			addLost(first, last);
			StoreMachine.this.losses.reportLost(first, last, this.key.names(), StoreMachine.this.now);
		}

		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			return StoreMachine.this.losses.permitsLoss(this, responders, waited, now);
		}

		@Override
		public boolean permitsSkip(long waited, long now) {
			return StoreMachine.this.losses.permitsSkip(this, waited, now);
		}

		@Override
		public void missing(long first) {
			StoreMachine.this.losses.reportMissing(first, this.key.names(), StoreMachine.this.now);
		}

	}

}
