package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.PartitionLimit;
import io.statestore.dafka.reading.FetchRange;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Decoder;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.HeaderCache;
import io.statestore.dafka.wire.PartitionKey;
import io.statestore.dafka.wire.SequencedHeader;
import io.statestore.dafka.wire.Subscriptions;
import org.jspecify.annotations.Nullable;

/**
 * A consumer without sockets and threads: finds partitions, reads them, and fetches what
 * it misses.
 */
final class ConsumerMachine implements Machine {

	private final Bytes address;

	private final Set<Bytes> topics;

	private final ReadingOptions reading;

	private final long headsNanos;

	private final Map<TopicPartition, Long> stored;

	private final Output output;

	private final Delivery delivery;

	private final Map<PartitionKey, ReadPartition> partitions = new ConcurrentHashMap<>();

	private final HeaderCache<ReadPartition> headers = new HeaderCache<>();

	/** Partitions that have records for the listener. */
	private final Set<ReadPartition> readable = new LinkedHashSet<>();

	/** Partitions that may have something to fetch. */
	private final Set<ReadPartition> waiting = new LinkedHashSet<>();

	/** Partitions for which there was no room. */
	private final Set<ReadPartition> blocked = new LinkedHashSet<>();

	private final Queue<Position> seeks = new ConcurrentLinkedQueue<>();

	final LongAdder fetches = new LongAdder();

	final LongAdder lost = new LongAdder();

	final PartitionLimit limit;

	/** Of partitions without offset; negative for what comes from now on. */
	private final long beginning;

	private volatile boolean roomAgain;

	private long nextHeads;

	ConsumerMachine(Bytes address, Set<Bytes> topics, ReadingOptions reading, long headsNanos,
			Map<TopicPartition, Long> stored, long beginning, PartitionLimit limit, Output output, Delivery delivery,
			long now) {
		this.address = address;
		this.topics = topics;
		this.reading = reading;
		this.headsNanos = headsNanos;
		this.stored = stored;
		this.beginning = beginning;
		this.limit = limit;
		this.output = output;
		this.delivery = delivery;
		this.nextHeads = now + headsNanos;
	}

	Delivery delivery() {
		return this.delivery;
	}

	/** To be read by any thread. */
	Collection<ReadPartition> partitions() {
		return this.partitions.values();
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
		this.blocked.add(partition);
	}

	void lost(long count) {
		this.lost.add(count);
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
			partition = admitted(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, false, now);
			}
		}
		else if (command instanceof Command.DirectRecord record && content != null
				&& record.recipient().equals(this.address)) {
			partition = this.partitions.get(new PartitionKey(record.address(), record.subject()));
			if (partition != null) {
				this.headers.remember(header, partition);
				record(partition, record.sequence(), content, true, now);
			}
		}
		else if (command instanceof Command.Head head && this.topics.contains(head.subject())) {
			partition = admitted(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				partition.reader.publishedHead(head.sequence(), now);
				waiting(partition);
			}
		}
		else if (command instanceof Command.DirectHead head && head.recipient().equals(this.address)
				&& this.topics.contains(head.subject())) {
			storedHead(new PartitionKey(head.address(), head.subject()), head.sequence(), now);
		}
		else if (command instanceof Command.StoreHello hello && hello.recipient().equals(this.address)) {
			hello(hello.sender());
		}
		return command != null;
	}

	private void record(ReadPartition partition, long sequence, byte[] content, boolean direct, long now) {
		if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.reader.published(sequence, content, now);
		}
		waiting(partition);
	}

	/**
	 * What was stored before the join is of interest only from the earliest or a kept
	 * offset.
	 */
	private void storedHead(PartitionKey key, long sequence, long now) {
		if (this.beginning >= 0 || this.partitions.containsKey(key) || this.stored.containsKey(key.names())) {
			ReadPartition partition = admitted(key, now);
			if (partition != null) {
				partition.reader.storedHead(sequence, now);
				waiting(partition);
			}
		}
	}

	private void waiting(ReadPartition partition) {
		if (partition.reader.isWaiting()) {
			this.waiting.add(partition);
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		if (Subscriptions.isStore(prefix)) {
			hello(Subscriptions.name(prefix));
		}
		else if (Subscriptions.isGetHeads(prefix)) {
			getHeads();
		}
	}

	private void hello(Bytes store) {
		this.output.send(new Command.ConsumerHello(store, this.address, List.copyOf(this.topics)));
	}

	private void getHeads() {
		this.topics.forEach((topic) -> this.output.send(new Command.GetHeads(topic, this.address)));
	}

	@Override
	public long work(long now) {
		for (Position seek = this.seeks.poll(); seek != null; seek = this.seeks.poll()) {
			ReadPartition partition = partition(new PartitionKey(
					Bytes.wrap(seek.partition().getBytes(StandardCharsets.ISO_8859_1)), Bytes.of(seek.topic())));
			partition.seek(seek.offset(), now);
			waiting(partition);
		}
		if (this.roomAgain) {
			this.roomAgain = false;
			resume(now);
		}
		this.readable.forEach(ReadPartition::handOver);
		this.readable.clear();
		long next = fillGaps(now);
		if (now - this.nextHeads >= 0) {
			this.nextHeads = now + this.headsNanos;
			getHeads();
		}
		return Math.min(next, this.nextHeads);
	}

	private void resume(long now) {
		List<ReadPartition> resumed = List.copyOf(this.blocked);
		this.blocked.clear();
		for (ReadPartition partition : resumed) {
			partition.reader.resume(now);
			waiting(partition);
		}
	}

	private long fillGaps(long now) {
		long next = now + this.headsNanos;
		List<ReadPartition> done = new ArrayList<>();
		for (ReadPartition partition : this.waiting) {
			for (FetchRange range = partition.reader.fetch(now); range != null; range = partition.reader.fetch(now)) {
				this.fetches.increment();
				this.output.send(new Command.Fetch(partition.key().address(), this.address, partition.key().subject(),
						range.first(), range.count()));
			}
			if (partition.reader.isWaiting()) {
				next = Math.min(next, partition.reader.deadline(next));
			}
			else {
				done.add(partition);
			}
		}
		done.forEach(this.waiting::remove);
		return next;
	}

	@Override
	public void closed() {
	}

	/** The partition, {@code null} if there are too many. */
	private @Nullable ReadPartition admitted(PartitionKey key, long now) {
		ReadPartition partition = this.partitions.get(key);
		if (partition == null && !this.stored.containsKey(key.names())
				&& !this.limit.admits(this.partitions.size(), key.names(), now)) {
			return null;
		}
		return partition(key);
	}

	private ReadPartition partition(PartitionKey key) {
		ReadPartition partition = this.partitions.get(key);
		if (partition == null) {
			long next = this.stored.getOrDefault(key.names(), this.beginning);
			partition = new ReadPartition(key, this.reading, next, this);
			this.partitions.put(key, partition);
		}
		return partition;
	}

}
