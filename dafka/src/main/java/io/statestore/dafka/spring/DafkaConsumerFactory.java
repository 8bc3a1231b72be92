package io.statestore.dafka.spring;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;

/** Factory of the consumers of listeners. */
@FunctionalInterface
public interface DafkaConsumerFactory {

	/**
	 * Returns the options of a new consumer. The listener sets the topics, the storage
	 * and commit interval of offsets, the close timeout, and the offset reset if it has
	 * one.
	 * @param listenerId id of the listener
	 * @return a new builder
	 */
	Consumer.Builder consumer(String listenerId);

	/**
	 * Returns the storage for the offsets of a listener. Called once for each listener.
	 * By default, offsets are kept in memory: they survive a restart of the listener, but
	 * not of the application.
	 * @param listenerId id of the listener
	 * @return the storage
	 */
	default OffsetStore offsets(String listenerId) {
		return OffsetStore.memory();
	}

}
