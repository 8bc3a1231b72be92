package io.statestore.dafka.endtoend;

import java.nio.file.Path;
import java.time.Duration;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;

/** A tower and options for nodes with short intervals. */
final class Cluster implements AutoCloseable {

	final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	NodeOptions node() {
		return options().build();
	}

	/** Returns options with a short stall timeout. */
	NodeOptions impatientNode() {
		return options().stallTimeout(Duration.ofMillis(50)).build();
	}

	private NodeOptions.Builder options() {
		return NodeOptions.builder()
			.tower(this.tower.address())
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(50))
			.peerTimeout(Duration.ofMillis(200));
	}

	ReadingOptions reading() {
		return ReadingOptions.defaults().withLossTimeout(Duration.ofSeconds(1));
	}

	Producer.Builder producer() {
		return Producer.builder(node()).headInterval(Duration.ofMillis(100));
	}

	Store.Builder store() {
		return Store.builder(node()).reading(reading()).replicationInterval(Duration.ofMillis(200));
	}

	Store store(Path directory) {
		return store().directory(directory).start();
	}

	Consumer.Builder earliest(String... topics) {
		return Consumer.builder(node())
			.topics(topics)
			.offsetReset(OffsetReset.EARLIEST)
			.partitionDiscoveryInterval(Duration.ofMillis(300))
			.commitInterval(Duration.ofMillis(50))
			.reading(reading());
	}

	@Override
	public void close() {
		this.tower.close();
	}

}
