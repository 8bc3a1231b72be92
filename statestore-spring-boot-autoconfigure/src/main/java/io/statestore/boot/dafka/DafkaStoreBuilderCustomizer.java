package io.statestore.boot.dafka;

import io.statestore.dafka.store.Store;

/**
 * Callback that changes the options of the store. Beans of this type are called in order,
 * after the {@code dafka.*} properties have been applied.
 */
@FunctionalInterface
public interface DafkaStoreBuilderCustomizer {

	/**
	 * Customizes the options. May be called several times.
	 * @param builder builder with the options configured so far
	 */
	void customize(Store.Builder builder);

}
