package io.statestore.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.node.internal.KeyDirectory;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Stream with our producer, a tower, and a consumer or a store. All options have their
 * defaults, except the buffers of consumers, which are larger.
 */
final class DafkaStream implements DafkaScenarios.RecordStream {

	private static final String TOPIC = "measure";

	private final Tower tower;

	private final NodeOptions network;

	private final Producer producer;

	private final Resources readers = new Resources();

	private DafkaStream(Acknowledge acknowledge, @Nullable CurveOptions curve) {
		this.tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).curve(curve).start();
		this.network = NodeOptions.builder().tower(this.tower.address()).bindHost("127.0.0.1").curve(curve).build();
		this.producer = Producer.builder(this.network).acknowledge(acknowledge).start();
	}

	/** Returns a stream to a consumer, without a store. */
	static DafkaStream toConsumer(Arrivals arrivals) throws InterruptedException {
		return toConsumer(arrivals, null);
	}

	/** Returns an encrypted stream to a consumer, without a store. */
	static DafkaStream toConsumerWithCurve(Arrivals arrivals) throws Exception {
		Path directory = Files.createTempDirectory("dafka-benchmark");
		KeyDirectory keys = new KeyDirectory(directory);
		keys.create(List.of(CurveOptions.DEFAULT_TOWER), false);
		DafkaStream stream = toConsumer(arrivals,
				CurveOptions.of(keys.secretKey(CurveOptions.DEFAULT_TOWER), keys.peers()));
		stream.readers.add(() -> FileSystemUtils.deleteRecursively(directory));
		return stream;
	}

	private static DafkaStream toConsumer(Arrivals arrivals, @Nullable CurveOptions curve) throws InterruptedException {
		DafkaStream stream = new DafkaStream(Acknowledge.NONE, curve);
		stream.readers.add(stream.consumer(OffsetReset.LATEST, arrivals));
		while (!arrivals.isConnected()) {
			stream.send(new byte[] { Arrivals.HELLO });
		}
		return stream;
	}

	/** Returns a stream to a store on disk. */
	static DafkaStream toStore(Fsync fsync) throws Exception {
		DafkaStream stream = new DafkaStream(Acknowledge.STORE, null);
		Path directory = Files.createTempDirectory("dafka-benchmark");
		stream.readers.add(() -> FileSystemUtils.deleteRecursively(directory));
		stream.readers.add(Store.builder(stream.network).directory(directory).fsync(fsync).start());
		stream.send(new byte[] { Arrivals.HELLO }).get(30, TimeUnit.SECONDS);
		return stream;
	}

	/** Returns a new consumer that reads all records from the start. */
	Consumer lateConsumer(Arrivals arrivals) {
		return consumer(OffsetReset.EARLIEST, arrivals);
	}

	private Consumer consumer(OffsetReset reset, Arrivals arrivals) {
		return Consumer.builder(this.network)
			.topics(TOPIC)
			.offsetReset(reset)
			// Without a store, records that a full consumer drops are lost
			.maxRecords(1_000_000)
			.maxBytes(512 << 20)
			.start((record) -> arrivals.arrived(record.content().unwrap()));
	}

	@Override
	public CompletableFuture<?> send(byte[] content) {
		return this.producer.send(TOPIC, Bytes.wrap(content));
	}

	/** Ends sending. Records in the store can still be read. */
	void closeProducer() {
		this.producer.close();
	}

	@Override
	public void close() throws Exception {
		this.producer.close();
		this.readers.close();
		this.tower.close();
	}

}
