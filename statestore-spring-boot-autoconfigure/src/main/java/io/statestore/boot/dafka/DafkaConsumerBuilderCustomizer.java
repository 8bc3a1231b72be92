package io.statestore.boot.dafka;

import io.statestore.dafka.consumer.Consumer;

/**
 * Callback that changes the options of the consumers behind listeners. Beans of this type
 * are called in order, after the {@code dafka.*} properties have been applied. Afterward,
 * a listener sets its topics, its offset store, and the attributes of its annotation.
 */
@FunctionalInterface
public interface DafkaConsumerBuilderCustomizer {

	/**
	 * Customizes the options. May be called several times.
	 * @param builder builder with the options configured so far
	 */
	void customize(Consumer.Builder builder);

}
