package io.statestore.boot.dafka;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Identity;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.listener.DafkaConsumerFactory;
import io.statestore.dafka.spring.listener.DafkaListenerOptions;
import io.statestore.dafka.store.Store;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/**
 * Makes nodes of {@link DafkaProperties}. What is wrong with them is told at the start of
 * the application, though nodes start later or never.
 */
class DafkaNodes {

	private final DafkaProperties properties;

	private final List<TowerAddress> towers;

	DafkaNodes(DafkaProperties properties, DafkaConnectionDetails details) {
		this.properties = properties;
		this.towers = details.getTowers();
		producerOptions();
		consumerOptions();
		listenerOptions();
		storeOptions();
	}

	/** The options of the producer, but for what opens files. */
	private Producer.Builder producerOptions() {
		DafkaProperties.Producer producer = this.properties.getProducer();
		NodeOptions node = node("dafka.producer.", producer.getBindPort());
		return DafkaOptionFailures.naming("dafka.producer.",
				() -> Producer.builder(node)
					.acknowledge(producer.getAcknowledge())
					.memory(producer.getMemory().toBytes())
					.maxBlock(producer.getMaxBlock())
					.closeTimeout(producer.getCloseTimeout())
					.headInterval(producer.getHeadInterval()));
	}

	Producer.Builder producer() {
		Path directory = this.properties.getProducer().getIdentityDirectory();
		Producer.Builder producer = producerOptions();
		return (directory != null) ? producer.identity(Identity.directory(directory)) : producer;
	}

	private Consumer.Builder consumerOptions() {
		DafkaProperties.Consumer consumer = this.properties.getConsumer();
		NodeOptions node = node("dafka.consumer.", 0);
		return DafkaOptionFailures.naming("dafka.consumer.", () -> {
			return Consumer.builder(node)
				.offsetReset(consumer.getOffsetReset())
				.headsInterval(consumer.getHeadsInterval())
				.maxRecords(consumer.getMaxRecords())
				.maxBytes(consumer.getMaxSize().toBytes())
				.maxPartitions(consumer.getMaxPartitions())
				.skipTimeout(consumer.getSkipTimeout());
		});
	}

	DafkaConsumerFactory consumers() {
		return new DafkaConsumerFactory() {

			@Override
			public Consumer.Builder consumer(String listenerId) {
				return consumerOptions();
			}

			@Override
			public OffsetStore offsets(String listenerId) {
				Path directory = DafkaNodes.this.properties.getConsumer().getOffsetsDirectory();
				return (directory != null) ? OffsetStore.file(directory.resolve(fileName(listenerId)))
						: OffsetStore.memory();
			}

		};
	}

	/** One for each listener, whatever its id is made of. */
	private static String fileName(String listenerId) {
		return URLEncoder.encode(listenerId, StandardCharsets.UTF_8).replace("*", "%2A") + ".offsets";
	}

	DafkaListenerOptions listenerOptions() {
		DafkaProperties.Listener listener = this.properties.getListener();
		return DafkaOptionFailures.naming("dafka.listener.", () -> new DafkaListenerOptions(listener.isAutoStartup(),
				listener.getMaxBatch(), listener.getCommitInterval(), listener.getStopTimeout()));
	}

	Store.Builder storeOptions() {
		DafkaProperties.Store store = this.properties.getStore();
		NodeOptions node = node("dafka.store.", store.getBindPort());
		return DafkaOptionFailures.naming("dafka.store.", () -> {
			Store.Builder builder = Store.builder(node)
				.fsync(store.getFsync())
				.maxPartitions(store.getMaxPartitions())
				.skipTimeout(store.getSkipTimeout().isZero() ? null : store.getSkipTimeout());
			if (store.getDirectory() != null) {
				requireRocksDb("dafka.store.directory", store.getDirectory(),
						"remove the property to keep records in memory");
				builder.directory(store.getDirectory());
			}
			if (store.getRetentionTime() != null) {
				builder.retentionTime(store.getRetentionTime());
			}
			if (store.getRetentionSize() != null) {
				builder.retentionBytes(store.getRetentionSize().toBytes());
			}
			return builder;
		});
	}

	static void requireRocksDb(String property, Path directory, String orElse) {
		if (!ClassUtils.isPresent("org.rocksdb.RocksDB", null)) {
			throw new InvalidConfigurationPropertyValueException(property, directory,
					"It needs RocksDB, which is not on the class path. Add the dependency org.rocksdb:rocksdbjni, or "
							+ orElse + '.');
		}
	}

	/** A node on the network, with what all have in common. */
	NodeOptions node(String prefix, int bindPort) {
		NodeOptions.Builder node = NodeOptions.builder()
			.highWaterMark(this.properties.getHighWaterMark())
			.socketBuffer((int) Math.min(Integer.MAX_VALUE, this.properties.getSocketBuffer().toBytes()))
			.maxMessageSize(this.properties.getMaxMessageSize().toBytes())
			.beaconInterval(this.properties.getBeaconInterval())
			.peerTimeout(this.properties.getPeerTimeout())
			.stallTimeout(this.properties.getStallTimeout())
			.connectionTimeout(this.properties.getConnectionTimeout())
			.linger(this.properties.getLinger())
			.bindHost(bindHost());
		this.towers.forEach(node::tower);
		if (this.properties.getAdvertisedHost() != null) {
			node.advertisedHost(this.properties.getAdvertisedHost());
		}
		DafkaOptionFailures.naming("dafka.", node::build);
		return DafkaOptionFailures.naming(prefix, () -> node.bindPort(bindPort).build());
	}

	private String bindHost() {
		if (this.properties.getBindHost() != null) {
			return this.properties.getBindHost();
		}
		DafkaProperties.Embedded embedded = this.properties.getEmbedded();
		return embedded.isEnabled() ? embedded.getHost() : "*";
	}

}
