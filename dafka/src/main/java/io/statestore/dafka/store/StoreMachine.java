package io.statestore.dafka.store;

import java.util.List;

import io.statestore.dafka.reading.internal.ReadingMachine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.FetchAnswers;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import io.statestore.dafka.reading.internal.PartitionReader;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.jspecify.annotations.Nullable;

/**
 * State machine of a store, without sockets and threads. Stores the records that arrive,
 * requests missing ones, and answers requests. Time is passed in. Not thread-safe.
 */
final class StoreMachine extends ReadingMachine<StorePartition> {

	private static final int MAX_TOPICS = 1_000;

	private static final long COUNT_NANOS = 500_000_000;

	/**
	 * Topics that a store requests from other stores. In the reference implementation, a
	 * topic also matches all topics that begin with it, so an empty one matches all.
	 */
	private static final List<Bytes> EVERY_TOPIC = List.of(Bytes.EMPTY);

	private final StoreSettings settings;

	private final RecordLog log;

	private final RecordWriter writer;

	private final LivePartitions partitions;

	private final HeadPasses heads;

	private final Subscriptions.Subscribers recordSubscribers = new Subscriptions.Subscribers(
			Subscriptions::isDirectRecords);

	private final Subscriptions.Subscribers headSubscribers = new Subscriptions.Subscribers(
			Subscriptions::isDirectHeads);

	private final FetchAnswers<StoredPartition> answers;

	private final LossRules losses;

	private final LossReporter reporter;

	private final StoreCounters counters;

	/** Time of the latest turn. */
	private long now;

	private long nextCount;

	private long nextRetention;

	private long nextReplication;

	StoreMachine(Bytes address, StoreSettings settings, RecordLog log, Machine.Output output, long now) {
		super(address, output, settings.reading());
		this.settings = settings;
		this.log = log;
		this.now = now;
		this.losses = new LossRules(settings.reading(), settings.replicationInterval(), now);
		this.reporter = new LossReporter(settings.reading().skipTimeout());
		this.heads = new HeadPasses(address, output);
		PartitionLimit limit = new PartitionLimit(settings.maxPartitions());
		this.counters = new StoreCounters(limit);
		this.answers = new FetchAnswers<>(output, StoredPartition::key, this::read);
		this.writer = new RecordWriter(log, settings, output, this.counters, this::live, this.heads::add);
		this.partitions = new LivePartitions(log, limit, this::open, this::removed, this.heads::remove,
				this.writer::write, now);
		this.nextRetention = now;
		this.nextCount = now + COUNT_NANOS;
		this.nextReplication = now + settings.replicationInterval().toNanos();
		log.partitions().forEach(this.heads::add);
		this.counters.partitions = log.partitions().size();
	}

	StoreCounters counters() {
		return this.counters;
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
	protected @Nullable StorePartition open(PartitionKey key, long now) {
		return this.partitions.open(key, now);
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
		partition.heardAt = now;
		if (direct) {
			this.losses.answered(now);
		}
		else {
			partition.producerAt = now;
		}
		if (sequence < partition.reader.next()) {
			repeated(partition, sequence, now);
		}
		else if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.reader.published(sequence, content, now);
		}
		fillGap(partition);
		this.writer.writeIfDue();
	}

	/** Handles a record before the next one: a repeated one, or one declared lost. */
	private void repeated(StorePartition partition, long sequence, long now) {
		this.writer.acknowledge(partition);
		if (partition.lost == null || !partition.lost.contains(sequence)) {
			this.counters.duplicates.increment();
			return;
		}
		this.counters.late.increment();
		this.reporter.late(sequence, partition.key().names(), now);
	}

	@Override
	protected void head(StorePartition partition, long sequence, long now) {
		partition.producerAt = now;
		partition.reader.publishedHead(sequence, now);
		if (partition.reader.isWaiting()) {
			fillGap(partition);
		}
		else {
			this.writer.acknowledge(partition);
		}
	}

	/**
	 * Handles the head of a partition of another store. A partition that is complete in
	 * this store stays closed.
	 */
	@Override
	protected void storedHead(PartitionKey key, long sequence, long now) {
		StoredPartition stored = this.log.find(key);
		if (stored == null || stored.next() <= sequence) {
			StorePartition partition = this.partitions.open(key, now);
			if (partition != null) {
				partition.announcedAt = now;
				partition.reader.storedHead(sequence, now);
				fillGap(partition);
			}
		}
	}

	private void fetch(Command.Fetch fetch, long now) {
		PartitionKey key = new PartitionKey(fetch.address(), fetch.subject());
		StorePartition live = this.partitions.find(key);
		if (live != null) {
			this.losses.requested(fetch.sender(), live, fetch.sequence(), now);
		}
		StoredPartition partition = this.log.find(key);
		if (partition != null && !fetch.sender().equals(this.address)
				&& this.recordSubscribers.contains(fetch.sender())) {
			this.answers.add(fetch.sender(), partition, fetch.sequence(),
					Math.min(fetch.sequence() + fetch.count(), partition.next()));
		}
	}

	private void read(StoredPartition partition, long first, long end, FetchAnswers.Visitor visitor) {
		this.log.read(partition, first, (sequence, content) -> visitor.visit(sequence, Bytes.wrap(content)));
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
		this.writer.write();
		long next = now + this.settings.replicationInterval().toNanos();
		next = requestMissing(now, next);
		if (!this.writer.sendAcknowledgments() || this.heads.work()) {
			next = this.output.hasRoom() ? now : now + Machine.Output.RETRY_NANOS;
		}
		boolean room = this.answers.work();
		if (!this.answers.isEmpty()) {
			next = Math.min(next, room ? now : now + Machine.Output.RETRY_NANOS);
		}
		if (now - this.nextCount >= 0) {
			this.nextCount = now + COUNT_NANOS;
			this.counters.stuck = stuck();
			this.partitions.sweep(now);
		}
		if (now - this.nextReplication >= 0) {
			this.nextReplication = now + this.settings.replicationInterval().toNanos();
			this.losses.otherStores()
				.forEach((store) -> this.output.send(new Command.ConsumerHello(store, this.address, EVERY_TOPIC)));
		}
		if (now - this.nextRetention >= 0) {
			this.nextRetention = now + this.settings.retentionInterval().toNanos();
			this.writer.retain();
		}
		return Math.min(next, Math.min(this.nextCount, Math.min(this.nextReplication, this.nextRetention)));
	}

	@Override
	public void closed() {
		this.writer.close();
	}

	private @Nullable StorePartition live(PartitionKey key) {
		return this.partitions.find(key);
	}

	private StorePartition open(StoredPartition stored) {
		this.counters.partitions = this.log.partitions().size();
		return new StorePartition(stored, reader(stored.next(), new LogSink(stored)),
				this.losses.beforeProducer(this.now), this.now - 1);
	}

	private void removed(StorePartition partition) {
		remove(partition);
		this.counters.partitions = this.log.partitions().size();
	}

	/** Sink that writes the records of a partition. Accepts every record. */
	private final class LogSink implements PartitionReader.Sink {

		private final StoredPartition stored;

		LogSink(StoredPartition stored) {
			this.stored = stored;
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			StoreMachine.this.writer.append(this.stored, content);
			return true;
		}

		@Override
		public void lost(long first, long last) {
			StoreMachine.this.writer.lost(this.stored, first, last);
			StoreMachine.this.reporter.lost(first, last, this.stored.key().names(), StoreMachine.this.now);
		}

		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			StorePartition partition = live(this.stored.key());
			return partition != null && StoreMachine.this.losses.permitsLoss(partition, responders, waited, now);
		}

		@Override
		public boolean permitsSkip(long waited, long now) {
			StorePartition partition = live(this.stored.key());
			return partition != null && StoreMachine.this.losses.permitsSkip(partition, waited, now);
		}

		@Override
		public void missing(long first) {
			StoreMachine.this.reporter.missing(first, this.stored.key().names(), StoreMachine.this.now);
		}

	}

}
