package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
import io.statestore.dafka.DafkaRecord;
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
 * Consumer state machine, without sockets or threads. Finds partitions, reads them, and
 * fetches missing records. Used by one thread, except where noted.
 */
final class ConsumerMachine extends ReadingMachine<ConsumerMachine.ReadPartition> {

	private static final Logger logger = LoggerFactory.getLogger(ConsumerMachine.class);

	private static final long SWEEP_NANOS = 100_000_000;

	/**
	 * Maximum number of times in a row that incoming heads postpone the request for
	 * heads.
	 */
	private static final int MAX_POSTPONED = 10;

	/**
	 * Maximum number of partitions whose next record is requested per interval; the
	 * others follow in the next.
	 */
	private static final int MAX_HOLDS = 2_000;

	/**
	 * How long a partition's next record is requested after the partition was last
	 * behind.
	 */
	private static final long HOLD_NANOS = 1_000_000_000;

	final LongAdder lost = new LongAdder();

	final PartitionLimit limit;

	private final Set<Bytes> topics;

	private final long headsNanos;

	private final long lossNanos;

	private final Partitions partitions;

	private final StoreListings listings;

	private final Delivery delivery;

	private final Backpressure backpressure;

	/** Partitions with records not yet passed to the listener. */
	private final Set<ReadPartition> readable = new LinkedHashSet<>();

	private final Queue<Position> seeks = new ConcurrentLinkedQueue<>();

	private final WarningLimit missingWarnings = new WarningLimit();

	/** Partitions whose records wait for the listener to make room. */
	private final Set<ReadPartition> blocked = new LinkedHashSet<>();

	/**
	 * Partitions that are or were behind without a store, with the time when they were
	 * last behind.
	 */
	private final Map<ReadPartition, Long> behind = new LinkedHashMap<>();

	private long now;

	private long nextSweep;

	/** Time when heads are next requested. */
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
		this.lossNanos = reading.lossTimeout().toNanos();
		this.limit = limit;
		this.now = now;
		this.nextSweep = now + SWEEP_NANOS;
		this.listings = new StoreListings(topics, now);
		this.nextHeads = now + headsNanos;
		this.headReceivedAt = now - headsNanos;
		this.backpressure = new Backpressure(backpressureNanos, now);
		this.delivery = delivery;
		this.partitions = new Partitions(stored, beginning, limit, ReadPartition::new, this::removed, now);
	}

	/** Returns the partitions, which any thread may read. */
	Partitions partitions() {
		return this.partitions;
	}

	/** Returns whether all partitions are known. Any thread may call it. */
	Completeness completeness() {
		return this.listings.completeness();
	}

	/**
	 * Schedules a seek. Any thread may call this method but must wake the node afterward.
	 */
	void seek(Position position) {
		this.seeks.add(position);
	}

	/** Adds a partition without room for its next record. */
	private void addBlocked(ReadPartition partition) {
		this.backpressure.full(hasStore(), this.now);
		this.blocked.add(partition);
		if (!hasStore() && this.behind.put(partition, this.now) == null) {
			// Its producer may be about to close while its messages are still unread.
			this.nextSweep = this.now;
		}
	}

	private void removed(ReadPartition partition) {
		remove(partition);
		this.blocked.remove(partition);
		this.behind.remove(partition);
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
		resumeBlocked(now);
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
				holdBehind(now);
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

	/**
	 * Requests the heads of all partitions, or postpones the request while heads are
	 * arriving.
	 */
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

	/**
	 * Continues with blocked partitions if there is room. If a store is connected, half
	 * of the room must be free. Otherwise, any room is enough, because a producer waits
	 * only for consumers that make progress.
	 */
	private void resumeBlocked(long now) {
		boolean store = hasStore();
		boolean roomAgain = this.delivery.waiting().pollRoomAgain();
		if (roomAgain || (!store && !this.blocked.isEmpty() && this.delivery.waiting().hasRoom())) {
			this.backpressure.end(now);
			resumeAll(now);
		}
		this.backpressure.check(store, now);
		if (!this.blocked.isEmpty() && !this.delivery.waiting().hasRoom()) {
			this.backpressure.full(store, now);
		}
	}

	private void resumeAll(long now) {
		for (ReadPartition partition : List.copyOf(this.blocked)) {
			if (!this.delivery.waiting().hasRoom()) {
				break;
			}
			this.blocked.remove(partition);
			partition.reader.resume(now);
			fillGap(partition);
		}
	}

	/**
	 * Requests the next record of each partition that is or was behind. Without a store,
	 * these requests tell their producers which records to keep.
	 */
	private void holdBehind(long now) {
		Stream.concat(this.blocked.stream(), incomplete()).forEach((partition) -> this.behind.put(partition, now));
		this.behind.entrySet().removeIf((entry) -> now - entry.getValue() > HOLD_NANOS);
		List<ReadPartition> held = this.behind.keySet().stream().limit(MAX_HOLDS).toList();
		for (ReadPartition partition : held) {
			// Moves the partition behind the others.
			this.behind.put(partition, Objects.requireNonNull(this.behind.remove(partition)));
			long next = partition.reader.hold();
			if (next >= 0) {
				fetch(partition, next, 1);
			}
		}
	}

	/**
	 * Partition of a consumer. Passes records from its reader to the listener in batches
	 * and decides when missing records are lost. Used by the node's thread, except where
	 * noted.
	 */
	final class ReadPartition extends ReadingMachine.Partition {

		private final Progress progress;

		/** Time when the set of stores last changed; earlier answers do not count. */
		private long answersSince;

		/** Whether any record was accepted or declared lost. */
		private boolean started;

		private List<DafkaRecord> records = new ArrayList<>();

		ReadPartition(PartitionKey key, long next) {
			super(ConsumerMachine.this, key, next, ConsumerMachine.this.now);
			this.progress = new Progress(key.names(), next);
			this.answersSince = ConsumerMachine.this.listings.changedAt();
		}

		TopicPartition names() {
			return this.progress.partition();
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			if (!ConsumerMachine.this.delivery.waiting().hasRoom()) {
				addBlocked(this);
				return false;
			}
			if (this.records.isEmpty()) {
				ConsumerMachine.this.readable.add(this);
			}
			DafkaRecord record = new DafkaRecord(names().topic(), names().partition(), sequence, Bytes.wrap(content));
			ConsumerMachine.this.delivery.waiting().add(record);
			this.started = true;
			this.records.add(record);
			return true;
		}

		@Override
		public void lost(long first, long last) {
			this.started = true;
			ConsumerMachine.this.lost.add(last - first + 1);
			handOver(new Batch.Lost(first, last - first + 1));
		}

		/**
		 * Returns whether no node can have the missing records, because all nodes answer
		 * with later records. Answers do not name their sender, so each connected store
		 * and the producer must have sent one. A store without records of the partition
		 * sends no answer, nor does a producer whose records are acknowledged. The wait
		 * for them is therefore limited. Without a store, the producer's answer is
		 * sufficient.
		 */
		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			long timeout = STORE_TIMEOUTS * ConsumerMachine.this.lossNanos;
			if (waited < 2 * timeout && !areStoresSettled(waited, now)) {
				return false;
			}
			int stores = ConsumerMachine.this.listings.size();
			int nodes = stores + (isProducerExpected(waited, now) ? 1 : 0);
			return stores == 0 || responders >= nodes || waited >= timeout;
		}

		/**
		 * Returns whether the set of stores has not changed for one loss timeout, so that
		 * the answers are theirs. A change discards earlier answers. Stores that keep
		 * connecting and disconnecting extend the wait only up to a limit.
		 */
		private boolean areStoresSettled(long waited, long now) {
			long changedAt = ConsumerMachine.this.listings.changedAt();
			if (this.answersSince != changedAt && now - changedAt < waited) {
				this.answersSince = changedAt;
				this.reader.forgetAnswers();
				return false;
			}
			return now - changedAt >= ConsumerMachine.this.lossNanos;
		}

		@Override
		public void missing(long first) {
			ConsumerMachine.this.missingWarnings.warn(logger, ConsumerMachine.this.now,
					"No node sends record {} of {}; waiting for its producer, or for a store that has it", first,
					names());
		}

		/** Returns whether the listener has processed every known record. */
		boolean isFinished() {
			long next = this.reader.next();
			return next >= 0 && next > this.reader.head() && this.records.isEmpty()
					&& (!this.started || this.progress.next() == next);
		}

		/** Returns whether no record has been accepted or declared lost. */
		boolean isUnread() {
			return !this.started;
		}

		/** Passes the records read so far to the listener. */
		void handOver() {
			if (!this.records.isEmpty()) {
				handOver(null);
			}
		}

		private void handOver(Batch.@Nullable Lost lost) {
			ConsumerMachine.this.delivery.put(new Batch(this.progress, this.records, lost));
			this.records = new ArrayList<>();
		}

		/**
		 * Continues with another record. Records on their way to the listener are
		 * discarded.
		 */
		void seek(long next, long now) {
			handOver();
			this.progress.seek(next);
			this.reader.seek(next, now);
		}

		/** Returns the listener's progress. Any thread may call it. */
		PartitionStatus status() {
			long next = this.progress.next();
			return new PartitionStatus((next >= 0) ? next : Math.max(0, this.reader.next()), this.reader.head());
		}

	}

}
