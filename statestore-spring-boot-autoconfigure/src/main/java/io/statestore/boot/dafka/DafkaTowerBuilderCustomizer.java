package io.statestore.boot.dafka;

import io.statestore.dafka.tower.Tower;

/**
 * Callback that changes the options of the embedded tower. Beans of this type are called
 * in order, after the {@code dafka.*} properties have been applied.
 */
@FunctionalInterface
public interface DafkaTowerBuilderCustomizer {

	/**
	 * Customizes the options. May be called several times.
	 * @param builder builder with the options configured so far
	 */
	void customize(Tower.Builder builder);

}
