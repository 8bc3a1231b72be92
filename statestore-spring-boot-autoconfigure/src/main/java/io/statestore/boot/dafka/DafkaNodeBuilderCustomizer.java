package io.statestore.boot.dafka;

import io.statestore.dafka.NodeOptions;

/**
 * Callback that changes the options of the producer, the consumers, and the store, for
 * the network. Beans of this type are called in their order, after the {@code dafka.*}
 * properties have been applied. Ports are set by the customizers of the nodes, because
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
