package io.statestore.dafka.loss;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;

/** Process in {@link DafkaLossTests}: runs one node until standard input ends. */
final class LossWorker {

	static final String TOPIC = "t";

	private static final Duration FOREVER = Duration.ofDays(1);

	private final LossSettings settings;

	private LossWorker(LossSettings settings) {
		this.settings = settings;
	}

	public static void main(String[] args) throws Exception {
		LossSettings settings = LossSettings.parse(args);
		LossWorker worker = new LossWorker(settings);
		switch (settings.role()) {
			case TOWER -> worker.tower();
			case STORE -> worker.store();
			case PRODUCER -> worker.producer();
			case CONSUMER -> worker.consumer();
		}
		System.exit(0);
	}

	private NodeOptions node() {
		NodeOptions.Builder node = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", this.settings.towerIn(), this.settings.towerOut()))
			.bindHost("127.0.0.1")
			.bindPort(this.settings.port())
			.highWaterMark(this.settings.highWaterMark())
			.beaconInterval(Duration.ofMillis(200))
			.peerTimeout(Duration.ofSeconds(1))
			.stallTimeout(Duration.ofMillis(500))
			.connectionTimeout(Duration.ofSeconds(1));
		if (this.settings.port() != 0) {
			node.advertisedHost(LossSettings.PROXY_HOST);
		}
		return node.build();
	}

	/**
	 * Returns the shortest timeouts that users may set. Even with these, records must not
	 * be lost.
	 */
	private static ReadingOptions reading() {
		return new ReadingOptions(1_024, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(500));
	}

	private Path file(String kind) {
		return this.settings.directory().resolve(kind + '-' + this.settings.name());
	}

	private static void ready() {
		System.out.println("READY");
	}

	private static void awaitStop() throws IOException {
		while (System.in.read() >= 0) {
			// Continues.
		}
	}

	private void tower() throws IOException {
		try (Tower tower = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(this.settings.towerIn())
			.outPort(this.settings.towerOut())
			.start()) {
			ready();
			awaitStop();
		}
	}

	private void store() throws IOException {
		try (Store store = Store.builder(node())
			.directory(file("records"))
			.reading(reading())
			.replicationInterval(Duration.ofMillis(500))
			.start()) {
			ready();
			awaitStop();
			System.out.println("INFO " + store.metrics());
		}
	}

	private void producer() throws Exception {
		BitSet done = new BitSet();
		Entry.read(file("acknowledged")).forEach((entry) -> done.set((int) entry.sample().number()));
		int index = this.settings.index();
		int life = this.settings.life();
		try (FileChannel file = FileChannel.open(file("acknowledged"), StandardOpenOption.CREATE,
				StandardOpenOption.APPEND);
				Producer producer = Producer.builder(node())
					.identity(Identity.directory(file("identity")))
					.memory(512 << 10)
					.maxBlock(FOREVER)
					.headInterval(Duration.ofMillis(200))
					.start()) {
			ready();
			Pace pace = new Pace(this.settings.rate());
			for (int number = 0; number < this.settings.records(); number++) {
				if (!done.get(number)) {
					if (number >= this.settings.records() * 3 / 4) {
						awaitTroubles();
					}
					pace.await();
					Sample sample = new Sample(index, life, number);
					producer.send(TOPIC, Bytes.wrap(sample.encode()))
						.thenAccept((position) -> note(file, sample, position));
				}
			}
			if (!producer.close(FOREVER).isComplete()) {
				throw new IllegalStateException("Not everything is acknowledged");
			}
		}
		System.out.println("DONE");
	}

	/** Waits until each kind of failure has occurred, even on slow machines. */
	private void awaitTroubles() {
		while (Files.notExists(this.settings.firstTroublesEnded())) {
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	private static void note(FileChannel file, Sample sample, Position position) {
		note(file, new Entry(sample, position.offset(), 1));
	}

	private static void note(FileChannel file, Entry entry) {
		try {
			entry.write(file);
		}
		catch (IOException ex) {
			ex.printStackTrace();
			Runtime.getRuntime().halt(1);
		}
	}

	private void consumer() throws Exception {
		OffsetStore offsets = this.settings.keepsOffsets() ? OffsetStore.file(file("offsets")) : OffsetStore.memory();
		try (FileChannel file = FileChannel.open(file("delivered-" + this.settings.life()),
				StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
				Notes notes = new Notes(file);
				Consumer consumer = Consumer.builder(node())
					.topics(TOPIC)
					.offsetReset(OffsetReset.EARLIEST)
					.offsets(offsets)
					.commitInterval(Duration.ofMillis(300))
					.partitionDiscoveryInterval(Duration.ofMillis(500))
					.maxRecords(2_000)
					.reading(reading())
					.start(notes)) {
			ready();
			awaitStop();
			System.out.println("INFO " + consumer.metrics() + ' ' + consumer.partitions());
		}
	}

	/** Writes the received records to a file, and reports progress periodically. */
	private static final class Notes implements RecordListener, AutoCloseable {

		private final FileChannel file;

		private final Map<Integer, Long> next = new ConcurrentHashMap<>();

		private final Thread teller = new Thread(this::tell);

		Notes(FileChannel file) {
			this.file = file;
			this.teller.setDaemon(true);
			this.teller.start();
		}

		@Override
		public void onRecord(DafkaRecord record) {
			Sample sample = Sample.decode(record.content().unwrap());
			int producer = LossSettings.producerOf(record.partition());
			if (sample == null || sample.producer() != producer) {
				sample = new Sample(producer, 0, Entry.WRONG);
			}
			note(this.file, new Entry(sample, record.offset(), 1));
			this.next.put(producer, record.offset() + 1);
		}

		@Override
		public void onLost(TopicPartition partition, long first, long count) {
			int producer = LossSettings.producerOf(partition.partition());
			note(this.file, new Entry(new Sample(producer, 0, Entry.LOST), first, count));
			this.next.put(producer, first + count);
		}

		private void tell() {
			while (!Thread.currentThread().isInterrupted()) {
				StringBuilder at = new StringBuilder("AT");
				this.next.forEach((producer, offset) -> at.append(' ').append(producer).append(':').append(offset));
				System.out.println(at);
				LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
			}
		}

		@Override
		public void close() {
			this.teller.interrupt();
		}

	}

	/** Limits the rate without catching up after delays. */
	private static final class Pace {

		private final long interval;

		private long due = System.nanoTime();

		Pace(int rate) {
			this.interval = Duration.ofSeconds(1).toNanos() / rate;
		}

		void await() {
			long now = System.nanoTime();
			this.due = Math.max(this.due + this.interval, now - 10 * this.interval);
			if (this.due - now > 1_000_000) {
				LockSupport.parkNanos(this.due - now);
			}
		}

	}

}
