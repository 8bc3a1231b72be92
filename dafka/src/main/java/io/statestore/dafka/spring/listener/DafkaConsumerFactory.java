package io.statestore.dafka.spring.listener;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;

/** What listeners read with, one consumer each. */
@FunctionalInterface
public interface DafkaConsumerFactory {

	/**
	 * The options of a new consumer. Its topics and offsets are set by the listener, the
	 * offset reset too if the listener has one.
	 */
	Consumer.Builder consumer(String listenerId);

	/**
	 * Where the listener keeps how far it got; asked for once for each listener. By
	 * default in memory: kept when the listener is stopped and started, not when the
	 * application is.
	 */
	default OffsetStore offsets(String listenerId) {
		return OffsetStore.memory();
	}

}
