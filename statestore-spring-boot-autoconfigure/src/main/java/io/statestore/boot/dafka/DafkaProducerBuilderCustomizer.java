package io.statestore.boot.dafka;

import io.statestore.dafka.producer.Producer;

/**
 * Callback that changes the options of the producer. Beans of this type are called in
 * order, after the {@code dafka.*} properties have been applied.
 */
@FunctionalInterface
public interface DafkaProducerBuilderCustomizer {

	/**
	 * Customizes the options. May be called several times.
	 * @param builder builder with the options configured so far
	 */
	void customize(Producer.Builder builder);

}
