package io.statestore.dafka.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.PartitionLimit;
import io.statestore.dafka.node.Subscribers;
import io.statestore.dafka.node.WarningLimit;
import io.statestore.dafka.reading.FetchRange;
import io.statestore.dafka.reading.GapFiller;
import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.reading.ReadingBudget;
import io.statestore.dafka.reading.RecordSink;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.store.storage.StoredPartition;
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
 * A store without sockets and threads. What arrives in one turn is written together, then
 * acknowledged, then fetches are answered, bit by bit so that nothing waits for long.
 */
final class StoreMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(StoreMachine.class);

	private static final long MAX_PENDING_BYTES = 8 << 20;

	/** Records of one request: the reference asks for blocks of 100,000. */
	private static final int MAX_FETCH = 1 << 17;

	private static final int MAX_TOPICS = 1_000;

	private static final long COUNT_NANOS = 500_000_000;

	/**
	 * The topics that a store asks others for: a topic stands for all that begin with it,
	 * as in the reference implementation, whose stores answer this, too.
	 */
	private static final List<Bytes> EVERY_TOPIC = List.of(Bytes.EMPTY);

	static final long RETRY_NANOS = 1_000_000;

	private final Bytes address;

	private final StoreSettings settings;

	private final RecordLog log;

	private final Output output;

	private final LivePartitions partitions;

	private final HeadPasses heads;

	private final Subscribers recordSubscribers = new Subscribers(Subscriptions::isDirectRecords);

	private final Subscribers headSubscribers = new Subscribers(Subscriptions::isDirectHeads);

	private final ReadingBudget budget;

	private final HeaderCache<StorePartition> headers = new HeaderCache<>();

	private final GapFiller<StorePartition> gaps = new GapFiller<>((partition) -> partition.reader,
			this::requestRecords);

	private final Deque<StorePartition> acknowledge = new ArrayDeque<>();

	private final FetchAnswers answers;

	private final LossRules losses;

	private final StoreCounters counters;

	private final WarningLimit missingWarnings;

	private final WarningLimit lossWarnings;

	private final WarningLimit lateWarnings;

	private long now;

	private long nextCount;

	private long nextRetention;

	private long nextReplication;

	StoreMachine(Bytes address, StoreSettings settings, RecordLog log, Output output, long now) {
		this.address = address;
		this.settings = settings;
		this.log = log;
		this.output = output;
		this.now = now;
		this.losses = new LossRules(settings.reading(), settings.replicationInterval(), now);
		this.missingWarnings = new WarningLimit();
		this.lossWarnings = new WarningLimit();
		this.lateWarnings = new WarningLimit();
		this.budget = new ReadingBudget(settings.reading().windowBytes());
		this.heads = new HeadPasses(address, output);
		PartitionLimit limit = new PartitionLimit(settings.maxPartitions());
		this.counters = new StoreCounters(limit);
		this.answers = new FetchAnswers(log, output, this.counters);
		this.partitions = new LivePartitions(log, limit, this::open, this::removed, this.heads::remove, this::write,
				now);
		this.nextRetention = now;
		this.nextCount = now + COUNT_NANOS;
		this.nextReplication = now + settings.replicationInterval().toNanos();
		log.partitions().forEach(this.heads::add);
		this.counters.partitions = log.partitions().size();
	}

	/** Returns the bytes kept beyond gaps. */
	long buffered() {
		return this.budget.used();
	}

	StoreCounters counters() {
		return this.counters;
	}

	@Override
	public List<byte[]> subscriptions() {
		return Subscriptions.store(this.address);
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		StorePartition partition = (content != null) ? this.headers.find(header) : null;
		if (partition != null && content != null) {
			long sequence = SequencedHeader.sequence(header);
			boolean valid = sequence >= 0 && sequence < Command.MAX_SEQUENCE;
			if (valid) {
				record(partition, sequence, content, Encoder.isDirect(header), now);
			}
			return valid;
		}
		Command command = Decoder.decode(header, content);
		if (command instanceof Command.Record record && content != null) {
			partition = this.partitions.open(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, false, now);
			}
		}
		else if (command instanceof Command.DirectRecord record && content != null
				&& record.recipient().equals(this.address)) {
			partition = this.partitions.open(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, true, now);
			}
		}
		else if (command instanceof Command.Head head) {
			partition = this.partitions.open(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				head(partition, head.sequence(), now);
			}
		}
		else if (command instanceof Command.DirectHead head && head.recipient().equals(this.address)) {
			storedHead(new PartitionKey(head.address(), head.subject()), head.sequence(), now);
		}
		else if (command instanceof Command.Fetch fetch) {
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
		return command != null;
	}

	private void record(StorePartition partition, long sequence, byte[] content, boolean direct, long now) {
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
		this.gaps.add(partition);
		if (this.settings.fsync() == Fsync.RECORD || this.log.pendingBytes() > MAX_PENDING_BYTES) {
			write();
		}
	}

	private void repeated(StorePartition partition, long sequence, long now) {
		acknowledge(partition);
		if (partition.lost == null || !partition.lost.contains(sequence)) {
			this.counters.duplicates.increment();
			return;
		}
		this.counters.late.increment();
		if (this.lateWarnings.permits(now)) {
			logger.warn(
					"Record {} of {} arrived after this store had declared it lost. This store does not keep it. Set a"
							+ " longer 'skipTimeout', so that it waits for slow nodes. Similar messages left out: {}",
					sequence, partition.key().names(), this.lateWarnings.suppressed());
		}
	}

	private void head(StorePartition partition, long sequence, long now) {
		partition.producerAt = now;
		partition.reader.publishedHead(sequence, now);
		if (partition.reader.isWaiting()) {
			this.gaps.add(partition);
		}
		else {
			acknowledge(partition);
		}
	}

	/** Another store has a partition. One that is complete here need not be opened. */
	private void storedHead(PartitionKey key, long sequence, long now) {
		StoredPartition stored = this.log.find(key);
		if (stored == null || stored.next() <= sequence) {
			StorePartition partition = this.partitions.open(key, now);
			if (partition != null) {
				partition.announcedAt = now;
				partition.reader.storedHead(sequence, now);
				this.gaps.add(partition);
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
			long end = Math.min(fetch.sequence() + Math.min(fetch.count(), MAX_FETCH), partition.next());
			if (fetch.sequence() < end) {
				this.answers.add(fetch.sender(), partition, fetch.sequence(), end);
			}
		}
	}

	/**
	 * Answers a consumer, or a store that requests everything. Earlier versions of this
	 * store send no topic.
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
		long next = now + this.settings.replicationInterval().toNanos();
		next = this.gaps.work(now, next);
		if (!sendAcknowledgements() || this.heads.work()) {
			next = this.output.hasRoom() ? now : now + RETRY_NANOS;
		}
		next = Math.min(next, this.answers.work(now, next));
		if (now - this.nextCount >= 0) {
			this.nextCount = now + COUNT_NANOS;
			this.counters.stuck = this.gaps.stuck();
			this.partitions.sweep(now);
		}
		if (now - this.nextReplication >= 0) {
			this.nextReplication = now + this.settings.replicationInterval().toNanos();
			this.losses.otherStores()
				.forEach((store) -> this.output.send(new Command.ConsumerHello(store, this.address, EVERY_TOPIC)));
		}
		if (now - this.nextRetention >= 0) {
			this.nextRetention = now + this.settings.retentionInterval().toNanos();
			retain();
		}
		return Math.min(next, Math.min(this.nextCount, Math.min(this.nextReplication, this.nextRetention)));
	}

	private void write() {
		boolean sync = this.settings.fsync() != Fsync.NEVER;
		for (StoredPartition written : this.log.flush(sync, this.settings.time().millis())) {
			StorePartition partition = this.partitions.find(written.key());
			if (partition != null) {
				announce(partition);
				acknowledge(partition);
			}
		}
		this.counters.bytes = this.log.bytes();
	}

	private void announce(StorePartition partition) {
		if (!partition.announced) {
			partition.announced = true;
			this.heads.add(partition.stored);
		}
	}

	private void acknowledge(StorePartition partition) {
		if (!partition.acknowledge) {
			partition.acknowledge = true;
			this.acknowledge.add(partition);
		}
	}

	/** Returns whether all were sent. */
	private boolean sendAcknowledgements() {
		while (!this.acknowledge.isEmpty() && this.output.hasRoom()) {
			StorePartition partition = this.acknowledge.remove();
			partition.acknowledge = false;
			if (partition.stored.next() > 0) {
				this.counters.acknowledgements.increment();
				this.output.send(new Command.Ack(partition.key().address(), partition.key().subject(),
						partition.stored.next() - 1));
			}
		}
		return this.acknowledge.isEmpty();
	}

	private void requestRecords(StorePartition partition, FetchRange range) {
		this.output.send(new Command.Fetch(partition.key().address(), this.address, partition.key().subject(),
				range.first(), range.count()));
	}

	private void retain() {
		if (this.settings.retentionTime().equals(Store.KEEP) && this.log.bytes() <= this.settings.retentionBytes()) {
			return;
		}
		long oldest = this.settings.time().millis() - this.settings.retentionTime().toMillis();
		this.log.retain(oldest, this.settings.retentionBytes());
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

	private StorePartition open(StoredPartition stored) {
		this.counters.partitions = this.log.partitions().size();
		return new StorePartition(stored,
				new PartitionReader(this.settings.reading(), stored.next(), new LogSink(stored), this.budget),
				this.losses.beforeProducer(this.now), this.now - 1);
	}

	private void removed(StorePartition partition) {
		this.gaps.remove(partition);
		this.headers.clear();
		this.counters.partitions = this.log.partitions().size();
	}

	/** Appends to the log, always with success. */
	private final class LogSink implements RecordSink {

		private final StoredPartition stored;

		LogSink(StoredPartition stored) {
			this.stored = stored;
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			StoreMachine.this.log.append(this.stored, content);
			StoreMachine.this.counters.stored.increment();
			return true;
		}

		@Override
		public void lost(long first, long last) {
			write();
			StoreMachine.this.log.lost(this.stored, last + 1, StoreMachine.this.settings.time().millis());
			StoreMachine.this.counters.lost.add(last - first + 1);
			StorePartition partition = StoreMachine.this.partitions.find(this.stored.key());
			if (partition != null) {
				announce(partition);
				partition.lost = (partition.lost != null) ? partition.lost : new LostRecords();
				partition.lost.add(first, last);
			}
			WarningLimit limit = StoreMachine.this.lossWarnings;
			if (limit.permits(StoreMachine.this.now)) {
				logger.error(
						"Records {} to {} of {} are lost: no store or producer sent them. The store continues with"
								+ " record {}. Similar messages left out: {}",
						first, last, this.stored.key().names(), last + 1, limit.suppressed());
			}
		}

		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			StorePartition partition = StoreMachine.this.partitions.find(this.stored.key());
			return partition != null && StoreMachine.this.losses.permitsLoss(partition, responders, waited, now);
		}

		@Override
		public boolean permitsSkip(long waited, long now) {
			StorePartition partition = StoreMachine.this.partitions.find(this.stored.key());
			return partition != null && StoreMachine.this.losses.permitsSkip(partition, waited, now);
		}

		@Override
		public void missing(long first) {
			WarningLimit limit = StoreMachine.this.missingWarnings;
			if (limit.permits(StoreMachine.this.now)) {
				logger.warn(
						"No node gives record {} of {}: waiting for another store that has it, or for its producer,"
								+ " {}. Similar messages left out: {}",
						first, this.stored.key().names(), patience(), limit.suppressed());
			}
		}

		private String patience() {
			Duration skip = StoreMachine.this.settings.reading().skipTimeout();
			return (skip != null) ? "for " + skip + " ('skipTimeout') if that producer is running"
					: "without limit ('skipTimeout' is not set)";
		}

	}

}
