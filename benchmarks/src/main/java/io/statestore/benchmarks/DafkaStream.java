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
 * defaults, except that consumers have larger buffers.
 */
final class DafkaStream extends RecordStream {

	private static final String TOPIC = "measure";

	private final Resources resources = new Resources();

	private final Path directory = Files.createTempDirectory("dafka-benchmark");

	private final NodeOptions network;

	private final Producer producer;

	private DafkaStream(Acknowledge acknowledge, boolean encrypted) throws Exception {
		this.resources.add(() -> FileSystemUtils.deleteRecursively(this.directory));
		CurveOptions curve = encrypted ? createKeys() : null;
		Tower tower = this.resources
			.add(Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).curve(curve).start());
		this.network = NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").curve(curve).build();
		this.producer = Producer.builder(this.network).acknowledge(acknowledge).start();
	}

	private CurveOptions createKeys() throws Exception {
		KeyDirectory keys = new KeyDirectory(this.directory);
		keys.create(List.of(CurveOptions.DEFAULT_TOWER), false);
		return CurveOptions.of(keys.secretKey(CurveOptions.DEFAULT_TOWER), keys.peers());
	}

	/** Returns a stream to a consumer, without a store. */
	static DafkaStream toConsumer(boolean encrypted) throws Exception {
		DafkaStream stream = new DafkaStream(Acknowledge.NONE, encrypted);
		stream.resources.add(stream.consumer(OffsetReset.LATEST));
		stream.awaitConnected();
		return stream;
	}

	/** Returns a stream to a store on disk. */
	static DafkaStream toStore(Fsync fsync) throws Exception {
		DafkaStream stream = new DafkaStream(Acknowledge.STORE, false);
		stream.resources.add(Store.builder(stream.network).directory(stream.directory).fsync(fsync).start());
		stream.send(HELLO).get(30, TimeUnit.SECONDS);
		return stream;
	}

	/** Starts another consumer. */
	Consumer consumer(OffsetReset reset) {
		return Consumer.builder(this.network)
			.topics(TOPIC)
			.offsetReset(reset)
			// Without a store, records that a full consumer drops would be lost.
			.maxRecords(1_000_000)
			.maxBytes(512 << 20)
			.start((record) -> arrived(record.content().unwrap()));
	}

	@Override
	CompletableFuture<?> send(byte[] content) {
		return this.producer.send(TOPIC, Bytes.wrap(content));
	}

	/** Stops sending. Records in the store can still be read. */
	void closeProducer() {
		this.producer.close();
	}

	@Override
	public void close() throws Exception {
		this.producer.close();
		this.resources.close();
	}

}
