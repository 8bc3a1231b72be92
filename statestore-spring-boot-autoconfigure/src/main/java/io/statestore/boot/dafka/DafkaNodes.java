package io.statestore.boot.dafka;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/**
 * Creates Dafka nodes from {@link DafkaProperties} and customizers. Invalid properties
 * are reported at startup, even if nodes start later or never.
 */
record DafkaNodes(DafkaProperties properties, DafkaConnectionDetails details,
		ObjectProvider<DafkaNodeBuilderCustomizer> nodes, ObjectProvider<DafkaProducerBuilderCustomizer> producers,
		ObjectProvider<DafkaConsumerBuilderCustomizer> consumers,
		ObjectProvider<DafkaStoreBuilderCustomizer> stores) implements InitializingBean {

	@Override
	public void afterPropertiesSet() {
		producerOptions();
		consumerOptions();
		storeOptions();
		identityDirectory();
		offsetsDirectory();
	}

	Producer.Builder producer() {
		Producer.Builder producer = producerOptions();
		Path identity = identityDirectory();
		return (identity != null) ? producer.identity(Identity.directory(identity)) : producer;
	}

	/** Returns the producer's options without the identity, which would open files. */
	private Producer.Builder producerOptions() {
		Producer.Builder builder = Producer.builder(node()).acknowledge(this.properties.producer().acknowledge());
		this.producers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder;
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
		return (directory != null) ? PropertyChecks.path(property, directory, alternative) : null;
	}

	private Consumer.Builder consumerOptions() {
		Consumer.Builder builder = Consumer.builder(node()).offsetReset(this.properties.consumer().offsetReset());
		DafkaOptions.set("dafka.consumer.partition-discovery-interval",
				this.properties.consumer().partitionDiscoveryInterval(), builder::partitionDiscoveryInterval);
		this.consumers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder;
	}

	DafkaConsumerFactory consumerFactory() {
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

	/** Returns a valid file name that is unique to a listener ID. */
	private static String fileName(String listenerId) {
		return URLEncoder.encode(listenerId, StandardCharsets.UTF_8).replace("*", "%2A") + ".offsets";
	}

	Store.Builder storeOptions() {
		DafkaProperties.Store store = this.properties.store();
		Path directory = path("dafka.store.directory", store.directory(),
				"Remove the property to keep records in memory");
		if (directory != null) {
			requireRocksDb(directory);
		}
		Store.Builder builder = Store.builder(node()).fsync(store.fsync());
		DafkaOptions.set("dafka.store.directory", directory, builder::directory);
		DafkaOptions.set("dafka.store.retention-time", store.retentionTime(), builder::retentionTime);
		DafkaOptions.set("dafka.store.retention-size", store.retentionSize(),
				(size) -> builder.retentionBytes(size.toBytes()));
		this.stores.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder;
	}

	private static void requireRocksDb(Path directory) {
		PropertyChecks.require(ClassUtils.isPresent("org.rocksdb.RocksDB", null), "dafka.store.directory", directory,
				"It requires RocksDB, which is not on the class path. Add the dependency org.rocksdb:rocksdbjni, "
						+ "or remove the property to keep records in memory.");
	}

	/**
	 * Returns the network options of all nodes.
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid
	 */
	NodeOptions node() {
		NodeOptions.Builder builder = NodeOptions.builder();
		this.details.getTowers().forEach(builder::tower);
		if (this.properties.embedded().enabled()) {
			builder.bindHost("127.0.0.1");
		}
		// Each property is set and checked separately, so that an error can name it.
		DafkaOptions.set("dafka.bind-host", this.properties.bindHost(), (host) -> builder.bindHost(host).build());
		DafkaOptions.set("dafka.advertised-host", this.properties.advertisedHost(),
				(host) -> builder.advertisedHost(host).build());
		DafkaOptions.curve(this.properties.curve(), builder::curve);
		this.nodes.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

}
