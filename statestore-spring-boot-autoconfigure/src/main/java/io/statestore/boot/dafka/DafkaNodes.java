package io.statestore.boot.dafka;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.statestore.boot.internal.DirectoryProperties;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.listener.DafkaConsumerFactory;
import io.statestore.dafka.spring.listener.DafkaListenerOptions;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Factory of Dafka nodes from {@link DafkaProperties}. Invalid properties are reported at
 * startup, although nodes start later or never.
 */
class DafkaNodes {

	private final DafkaProperties properties;

	private final List<TowerAddress> towers;

	DafkaNodes(DafkaProperties properties, DafkaConnectionDetails details) {
		this.properties = properties;
		this.towers = details.getTowers();
		validate();
	}

	private void validate() {
		producerOptions();
		consumerOptions();
		listenerOptions();
		storeOptions();
		identityDirectory();
		offsetsDirectory();
	}

	Producer.Builder producer() {
		Producer.Builder producer = producerOptions();
		PropertyMapper map = PropertyMapper.get();
		map.from(identityDirectory()).as(Identity::directory).to(producer::identity);
		return producer;
	}

	/** Returns the options of the producer, except the identity, which opens files. */
	private Producer.Builder producerOptions() {
		DafkaProperties.Producer producer = this.properties.producer();
		NodeOptions node = node("dafka.producer.", producer.bindPort());
		return DafkaOptions.create("dafka.producer.",
				() -> Producer.builder(node)
					.acknowledge(producer.acknowledge())
					.memory(producer.memory().toBytes())
					.maxBlock(producer.maxBlock())
					.closeTimeout(producer.closeTimeout())
					.headInterval(producer.headInterval()));
	}

	private @Nullable Path identityDirectory() {
		return path("dafka.producer.identity-directory", this.properties.producer().identityDirectory(),
				"Remove the property to use a new address at each start");
	}

	private @Nullable Path offsetsDirectory() {
		return path("dafka.consumer.offsets-directory", this.properties.consumer().offsetsDirectory(),
				"Remove the property to keep offsets in memory");
	}

	private static @Nullable Path path(String property, @Nullable String directory, String alternative) {
		return (directory != null) ? DirectoryProperties.path(property, directory, alternative) : null;
	}

	private Consumer.Builder consumerOptions() {
		DafkaProperties.Consumer consumer = this.properties.consumer();
		NodeOptions node = node("dafka.consumer.", 0);
		return DafkaOptions.create("dafka.consumer.",
				() -> Consumer.builder(node)
					.offsetReset(consumer.offsetReset())
					.headsInterval(consumer.headsInterval())
					.maxRecords(consumer.maxRecords())
					.maxBytes(consumer.maxSize().toBytes())
					.maxPartitions(consumer.maxPartitions())
					.skipTimeout(consumer.skipTimeout()));
	}

	DafkaConsumerFactory consumers() {
		return new DafkaConsumerFactory() {

			@Override
			public Consumer.Builder consumer(String listenerId) {
				return consumerOptions();
			}

			@Override
			public OffsetStore offsets(String listenerId) {
				Path directory = offsetsDirectory();
				return (directory != null) ? OffsetStore.file(directory.resolve(fileName(listenerId)))
						: OffsetStore.memory();
			}

		};
	}

	/** Returns a valid file name, different for each listener id. */
	private static String fileName(String listenerId) {
		return URLEncoder.encode(listenerId, StandardCharsets.UTF_8).replace("*", "%2A") + ".offsets";
	}

	DafkaListenerOptions listenerOptions() {
		DafkaProperties.Listener listener = this.properties.listener();
		return DafkaOptions.create("dafka.listener.", () -> new DafkaListenerOptions(listener.autoStartup(),
				listener.maxBatch(), listener.commitInterval(), listener.stopTimeout()));
	}

	Store.Builder storeOptions() {
		DafkaProperties.Store store = this.properties.store();
		NodeOptions node = node("dafka.store.", store.bindPort());
		Path directory = path("dafka.store.directory", store.directory(),
				"Remove the property to keep records in memory");
		if (directory != null) {
			requireRocksDb(directory);
		}
		return DafkaOptions.create("dafka.store.", () -> {
			Store.Builder builder = Store.builder(node)
				.fsync(store.fsync())
				.maxPartitions(store.maxPartitions())
				.skipTimeout(store.skipTimeout().isZero() ? null : store.skipTimeout());
			PropertyMapper map = PropertyMapper.get();
			map.from(directory).to(builder::directory);
			map.from(store::retentionTime).to(builder::retentionTime);
			map.from(store::retentionSize).as(DataSize::toBytes).to(builder::retentionBytes);
			return builder;
		});
	}

	private static void requireRocksDb(Path directory) {
		if (!ClassUtils.isPresent("org.rocksdb.RocksDB", null)) {
			throw new InvalidConfigurationPropertyValueException("dafka.store.directory", directory,
					"It requires RocksDB, which is not on the class path. Add the dependency org.rocksdb:rocksdbjni, "
							+ "or remove the property to keep records in memory.");
		}
	}

	/**
	 * Returns the network options of a node.
	 * @param prefix prefix of the property that sets the port, such as
	 * {@code "dafka.store."}
	 * @param bindPort port to listen on, 0 for a free one
	 * @return the options
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid
	 */
	NodeOptions node(String prefix, int bindPort) {
		NodeOptions.Builder node = NodeOptions.builder()
			.highWaterMark(this.properties.highWaterMark())
			.socketBuffer((int) Math.min(Integer.MAX_VALUE, this.properties.socketBuffer().toBytes()))
			.maxMessageSize(this.properties.maxMessageSize().toBytes())
			.beaconInterval(this.properties.beaconInterval())
			.peerTimeout(this.properties.peerTimeout())
			.stallTimeout(this.properties.stallTimeout())
			.connectionTimeout(this.properties.connectionTimeout())
			.linger(this.properties.linger())
			.bindHost(bindHost())
			.curve(DafkaOptions.curve(this.properties));
		this.towers.forEach(node::tower);
		PropertyMapper map = PropertyMapper.get();
		map.from(this.properties::advertisedHost).to(node::advertisedHost);
		DafkaOptions.create("dafka.", node::build);
		return DafkaOptions.create(prefix, () -> node.bindPort(bindPort).build());
	}

	private String bindHost() {
		if (this.properties.bindHost() != null) {
			return this.properties.bindHost();
		}
		DafkaProperties.Embedded embedded = this.properties.embedded();
		return embedded.enabled() ? embedded.host() : "*";
	}

}
