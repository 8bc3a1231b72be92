package io.statestore.dafka.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.PartitionLimit;
import io.statestore.dafka.reading.FetchRange;
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

	private static final int RECORDS_PER_JOB = 1_024;

	private static final int RECORDS_PER_TURN = 4_096;

	private static final int MAX_STORES = 1_000;

	/**
	 * The topics that a store asks others for: a topic stands for all that begin with it,
	 * as in the reference implementation, whose stores answer this, too.
	 */
	private static final List<Bytes> EVERY_TOPIC = List.of(Bytes.EMPTY);

	private static final long RETRY_NANOS = 1_000_000;

	private final Bytes address;

	private final StoreSettings settings;

	private final RecordLog log;

	private final Output output;

	private final Map<PartitionKey, StorePartition> partitions = new HashMap<>();

	private final Map<Bytes, List<StorePartition>> bySubject = new HashMap<>();

	private final HeaderCache<StorePartition> headers = new HeaderCache<>();

	/** Partitions that may have something to fetch or to acknowledge. */
	private final Set<StorePartition> active = new LinkedHashSet<>();

	private final Deque<StorePartition> acknowledge = new ArrayDeque<>();

	private final FetchJobs jobs = new FetchJobs();

	private final Set<Bytes> otherStores = new LinkedHashSet<>();

	private final StoreCounters counters;

	private final PartitionLimit limit;

	private long nextRetention;

	private long nextReplication;

	StoreMachine(Bytes address, StoreSettings settings, RecordLog log, Output output, long now) {
		this.address = address;
		this.settings = settings;
		this.log = log;
		this.output = output;
		this.limit = new PartitionLimit(settings.maxPartitions(), now);
		this.counters = new StoreCounters(this.limit);
		this.nextRetention = now;
		this.nextReplication = now + settings.replicationInterval().toNanos();
		log.partitions().forEach(this::open);
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
			partition = partition(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, false, now);
			}
		}
		else if (command instanceof Command.DirectRecord record && content != null
				&& record.recipient().equals(this.address)) {
			partition = partition(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, true, now);
			}
		}
		else if (command instanceof Command.Head head) {
			partition = partition(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				head(partition, head.sequence(), now);
			}
		}
		else if (command instanceof Command.DirectHead head && head.recipient().equals(this.address)) {
			partition = partition(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				partition.reader.storedHead(head.sequence(), now);
				this.active.add(partition);
			}
		}
		else if (command instanceof Command.Fetch fetch) {
			fetch(fetch);
		}
		else if (command instanceof Command.GetHeads get) {
			sendHeads(get.sender(), this.bySubject.getOrDefault(get.subject(), List.of()));
		}
		else if (command instanceof Command.ConsumerHello hello && hello.recipient().equals(this.address)) {
			hello(hello);
		}
		return command != null;
	}

	private void record(StorePartition partition, long sequence, byte[] content, boolean direct, long now) {
		if (sequence < partition.reader.next()) {
			this.counters.duplicates.increment();
			acknowledge(partition);
		}
		else if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.reader.published(sequence, content, now);
		}
		if (partition.reader.isWaiting()) {
			this.active.add(partition);
		}
		if (this.settings.fsync() == Fsync.RECORD || this.log.pendingBytes() > MAX_PENDING_BYTES) {
			write();
		}
	}

	private void head(StorePartition partition, long sequence, long now) {
		partition.reader.publishedHead(sequence, now);
		if (partition.reader.isWaiting()) {
			this.active.add(partition);
		}
		else {
			acknowledge(partition);
		}
	}

	private void fetch(Command.Fetch fetch) {
		StorePartition partition = this.partitions.get(new PartitionKey(fetch.address(), fetch.subject()));
		if (partition != null && !fetch.sender().equals(this.address)) {
			long end = Math.min(fetch.sequence() + fetch.count(), partition.stored.next());
			if (fetch.sequence() < end) {
				this.jobs.add(fetch.sender(), partition, fetch.sequence(), end);
			}
		}
	}

	/** Answers a consumer, or a store that asks for everything. */
	private void hello(Command.ConsumerHello hello) {
		if (hello.subjects().equals(EVERY_TOPIC)) {
			if (this.otherStores.contains(hello.sender())) {
				sendHeads(hello.sender(), this.partitions.values());
			}
			return;
		}
		for (Bytes subject : hello.subjects()) {
			sendHeads(hello.sender(), this.bySubject.getOrDefault(subject, List.of()));
		}
	}

	private void sendHeads(Bytes recipient, Iterable<StorePartition> partitions) {
		for (StorePartition partition : partitions) {
			if (partition.stored.next() > 0) {
				this.output.send(new Command.DirectHead(recipient, partition.key().address(), partition.key().subject(),
						partition.stored.next() - 1));
			}
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		Bytes name = Subscriptions.name(prefix);
		if (Subscriptions.isConsumer(prefix)) {
			this.output.send(new Command.StoreHello(name, this.address));
		}
		else if (Subscriptions.isStore(prefix) && !name.equals(this.address)
				&& (this.otherStores.size() < MAX_STORES || this.otherStores.contains(name))) {
			this.otherStores.add(name);
			this.output.send(new Command.ConsumerHello(name, this.address, EVERY_TOPIC));
		}
	}

	@Override
	public long work(long now) {
		write();
		long next = now + this.settings.replicationInterval().toNanos();
		next = Math.min(next, fillGaps(now, next));
		sendAcknowledgements();
		next = Math.min(next, answerFetches(now, next));
		if (now - this.nextReplication >= 0) {
			this.nextReplication = now + this.settings.replicationInterval().toNanos();
			this.otherStores
				.forEach((store) -> this.output.send(new Command.ConsumerHello(store, this.address, EVERY_TOPIC)));
		}
		if (now - this.nextRetention >= 0) {
			this.nextRetention = now + this.settings.retentionInterval().toNanos();
			retain();
		}
		return Math.min(next, Math.min(this.nextReplication, this.nextRetention));
	}

	private void write() {
		boolean sync = this.settings.fsync() != Fsync.NEVER;
		for (StoredPartition written : this.log.flush(sync, this.settings.time().millis())) {
			StorePartition partition = this.partitions.get(written.key());
			if (partition != null) {
				acknowledge(partition);
			}
		}
		this.counters.bytes = this.log.bytes();
	}

	private void acknowledge(StorePartition partition) {
		if (!partition.acknowledge) {
			partition.acknowledge = true;
			this.acknowledge.add(partition);
		}
	}

	private void sendAcknowledgements() {
		for (StorePartition partition = this.acknowledge.poll(); partition != null; partition = this.acknowledge
			.poll()) {
			partition.acknowledge = false;
			if (partition.stored.next() > 0) {
				this.counters.acknowledgements.increment();
				this.output.send(new Command.Ack(partition.key().address(), partition.key().subject(),
						partition.stored.next() - 1));
			}
		}
	}

	private long fillGaps(long now, long never) {
		long next = never;
		List<StorePartition> done = new ArrayList<>();
		int stuck = 0;
		for (StorePartition partition : this.active) {
			for (FetchRange range = partition.reader.fetch(now); range != null; range = partition.reader.fetch(now)) {
				this.output.send(new Command.Fetch(partition.key().address(), this.address, partition.key().subject(),
						range.first(), range.count()));
			}
			if (partition.reader.isWaiting()) {
				next = Math.min(next, partition.reader.deadline(never));
				stuck += partition.reader.isStuck() ? 1 : 0;
			}
			else {
				done.add(partition);
			}
		}
		done.forEach(this.active::remove);
		this.counters.stuck = stuck;
		return next;
	}

	private long answerFetches(long now, long never) {
		int[] left = { RECORDS_PER_TURN };
		while (left[0] > 0) {
			FetchJobs.Job job = this.jobs.poll();
			if (job == null) {
				return never;
			}
			boolean sent = answer(job, left);
			if (job.next < job.end) {
				this.jobs.back(job);
			}
			if (!sent) {
				return now + RETRY_NANOS;
			}
		}
		return now;
	}

	/** Whether there was room. */
	private boolean answer(FetchJobs.Job job, int[] left) {
		SequencedHeader headers = Encoder.directRecord(job.recipient, job.partition.key().address(),
				job.partition.key().subject());
		long before = job.next;
		boolean[] refused = new boolean[1];
		int[] sent = new int[1];
		this.log.read(job.partition.stored, job.next, (sequence, content) -> {
			// The first record there is, even beyond the end: it tells that the others
			// are gone.
			if (sent[0] > 0 && sequence >= job.end) {
				return false;
			}
			if (!this.output.offer(headers.at(sequence), Bytes.wrap(content))) {
				refused[0] = true;
				return false;
			}
			job.next = sequence + 1;
			sent[0]++;
			return job.next < job.end && sent[0] < RECORDS_PER_JOB;
		});
		left[0] -= Math.max(1, sent[0]);
		this.counters.fetched.add(sent[0]);
		if (!refused[0] && job.next == before) {
			job.next = job.end;
		}
		return !refused[0];
	}

	private void retain() {
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

	/** The partition, {@code null} if there are too many. */
	private @Nullable StorePartition partition(PartitionKey key, long now) {
		StorePartition partition = this.partitions.get(key);
		if (partition != null || !this.limit.admits(this.partitions.size(), key.names(), now)) {
			return partition;
		}
		return open(this.log.partition(key));
	}

	private StorePartition open(StoredPartition stored) {
		StorePartition partition = new StorePartition(stored, this.settings.reading(), new LogSink(stored));
		this.partitions.put(stored.key(), partition);
		this.bySubject.computeIfAbsent(stored.key().subject(), (subject) -> new ArrayList<>()).add(partition);
		this.counters.partitions = this.partitions.size();
		return partition;
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
		}

		@Override
		public void missing(long first) {
			logger.warn("Nobody gives record {} of {}: waiting for another store that has it, or for its producer",
					first, this.stored.key().names());
		}

	}

}
