package io.statestore.boot.dafka;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.statestore.boot.DirectoryProperties;
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
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Internal: factory of Dafka nodes from {@link DafkaProperties}. Invalid properties are
 * reported at startup, although nodes start later or never. Not part of the API.
 */
public class DafkaNodes {

	private final DafkaProperties properties;

	private final DafkaConnectionDetails details;

	private final List<TowerAddress> towers;

	DafkaNodes(DafkaProperties properties, DafkaConnectionDetails details) {
		this.properties = properties;
		this.details = details;
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
		DafkaProperties.Producer producer = this.properties.getProducer();
		NodeOptions node = node("dafka.producer.", producer.getBindPort());
		return DafkaOptions.create("dafka.producer.",
				() -> Producer.builder(node)
					.acknowledge(producer.getAcknowledge())
					.memory(producer.getMemory().toBytes())
					.maxBlock(producer.getMaxBlock())
					.closeTimeout(producer.getCloseTimeout())
					.headInterval(producer.getHeadInterval()));
	}

	private @Nullable Path identityDirectory() {
		return path("dafka.producer.identity-directory", this.properties.getProducer().getIdentityDirectory(),
				"Remove the property to use a new address at each start");
	}

	private @Nullable Path offsetsDirectory() {
		return path("dafka.consumer.offsets-directory", this.properties.getConsumer().getOffsetsDirectory(),
				"Remove the property to keep offsets in memory");
	}

	private static @Nullable Path path(String property, @Nullable String directory, String alternative) {
		return (directory != null) ? DirectoryProperties.path(property, directory, alternative) : null;
	}

	private Consumer.Builder consumerOptions() {
		DafkaProperties.Consumer consumer = this.properties.getConsumer();
		NodeOptions node = node("dafka.consumer.", 0);
		return DafkaOptions.create("dafka.consumer.",
				() -> Consumer.builder(node)
					.offsetReset(consumer.getOffsetReset())
					.headsInterval(consumer.getHeadsInterval())
					.maxRecords(consumer.getMaxRecords())
					.maxBytes(consumer.getMaxSize().toBytes())
					.maxPartitions(consumer.getMaxPartitions())
					.skipTimeout(consumer.getSkipTimeout()));
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
		DafkaProperties.Listener listener = this.properties.getListener();
		return DafkaOptions.create("dafka.listener.", () -> new DafkaListenerOptions(listener.isAutoStartup(),
				listener.getMaxBatch(), listener.getCommitInterval(), listener.getStopTimeout()));
	}

	Store.Builder storeOptions() {
		DafkaProperties.Store store = this.properties.getStore();
		NodeOptions node = node("dafka.store.", store.getBindPort());
		Path directory = path("dafka.store.directory", store.getDirectory(),
				"Remove the property to keep records in memory");
		if (directory != null) {
			requireRocksDb("dafka.store.directory", directory, "remove the property to keep records in memory");
		}
		return DafkaOptions.create("dafka.store.", () -> {
			Store.Builder builder = Store.builder(node)
				.fsync(store.getFsync())
				.maxPartitions(store.getMaxPartitions())
				.skipTimeout(store.getSkipTimeout().isZero() ? null : store.getSkipTimeout());
			PropertyMapper map = PropertyMapper.get();
			map.from(directory).to(builder::directory);
			map.from(store::getRetentionTime).to(builder::retentionTime);
			map.from(store::getRetentionSize).as(DataSize::toBytes).to(builder::retentionBytes);
			return builder;
		});
	}

	/**
	 * Requires RocksDB, which stores records on disk.
	 * @param property name of the property with the directory
	 * @param directory value of the property
	 * @param alternative what to do instead of adding the dependency, in the imperative
	 * @throws InvalidConfigurationPropertyValueException if RocksDB is not on the class
	 * path
	 */
	public static void requireRocksDb(String property, Path directory, String alternative) {
		if (!ClassUtils.isPresent("org.rocksdb.RocksDB", null)) {
			throw new InvalidConfigurationPropertyValueException(property, directory,
					"It requires RocksDB, which is not on the class path. Add the dependency org.rocksdb:rocksdbjni, "
							+ "or " + alternative + '.');
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
	public NodeOptions node(String prefix, int bindPort) {
		NodeOptions.Builder node = NodeOptions.builder()
			.highWaterMark(this.properties.getHighWaterMark())
			.socketBuffer((int) Math.min(Integer.MAX_VALUE, this.properties.getSocketBuffer().toBytes()))
			.maxMessageSize(this.properties.getMaxMessageSize().toBytes())
			.beaconInterval(this.properties.getBeaconInterval())
			.peerTimeout(this.properties.getPeerTimeout())
			.stallTimeout(this.properties.getStallTimeout())
			.connectionTimeout(this.properties.getConnectionTimeout())
			.linger(this.properties.getLinger())
			.bindHost(bindHost())
			.curve(DafkaOptions.curve(this.properties));
		this.towers.forEach(node::tower);
		PropertyMapper map = PropertyMapper.get();
		map.from(this.properties::getAdvertisedHost).to(node::advertisedHost);
		DafkaOptions.create("dafka.", node::build);
		return DafkaOptions.create(prefix, () -> node.bindPort(bindPort).build());
	}

	private String bindHost() {
		if (this.properties.getBindHost() != null) {
			return this.properties.getBindHost();
		}
		DafkaProperties.Embedded embedded = this.properties.getEmbedded();
		return embedded.isEnabled() ? embedded.getHost() : "*";
	}

	/**
	 * Returns whether the application configures its towers, rather than using the
	 * default.
	 * @param environment environment of the application
	 * @return whether there are connection details or {@code dafka.towers}
	 */
	public boolean hasConfiguredTowers(Environment environment) {
		return !(this.details instanceof PropertiesDafkaConnectionDetails)
				|| Binder.get(environment).bind("dafka.towers", Bindable.listOf(String.class)).isBound();
	}

}
