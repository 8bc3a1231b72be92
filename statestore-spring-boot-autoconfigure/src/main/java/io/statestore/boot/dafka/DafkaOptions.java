package io.statestore.boot.dafka;

import java.util.function.Supplier;

import io.statestore.boot.OptionProperties;
import io.statestore.dafka.InvalidOptionException;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Internal: creates options of Dafka and reports invalid ones by their property. Not part
 * of the API.
 */
public final class DafkaOptions {

	private DafkaOptions() {
	}

	/**
	 * Creates options.
	 * @param <T> type of the options
	 * @param prefix prefix of the properties of these options
	 * @param options creates the options
	 * @return the options
	 * @throws InvalidConfigurationPropertyValueException if an option is invalid
	 */
	public static <T> T create(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			throw OptionProperties.invalid(prefix, ex.option(), ex.value(), ex.reason());
		}
	}

}
