package io.statestore.dafka.spring;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;

/** Creates the consumers that back {@link DafkaListener} methods. */
@FunctionalInterface
public interface DafkaConsumerFactory {

	/**
	 * Returns the options for a new consumer. The listener then sets the topics, the
	 * offset store, the commit interval, the close timeout, and, if it declares one, the
	 * offset reset.
	 * @param listenerId ID of the listener
	 * @return a new builder
	 */
	Consumer.Builder consumer(String listenerId);

	/**
	 * Returns the store for a listener's offsets. Called once for each listener. By
	 * default, offsets are kept in memory: they survive a restart of the listener, but
	 * not of the application.
	 * @param listenerId ID of the listener
	 * @return a store that no other listener uses
	 */
	default OffsetStore offsets(String listenerId) {
		return OffsetStore.memory();
	}

}
