package io.statestore.boot.dafka;

import io.statestore.dafka.NodeOptions;

/**
 * Callback that changes the network options shared by the producer, the consumers, and
 * the store. Beans of this type are called in order, after the {@code dafka.*} properties
 * have been applied. Set ports with the customizer of each kind of node instead, because
 * two nodes cannot share a port.
 */
@FunctionalInterface
public interface DafkaNodeBuilderCustomizer {

	/**
	 * Customizes the options. May be called several times.
	 * @param builder builder with the options configured so far
	 */
	void customize(NodeOptions.Builder builder);

}
