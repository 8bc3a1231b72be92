package io.statestore.boot;

import java.util.function.Supplier;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.protocol.InvalidOptionException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Creates options of the client and reports invalid ones by their property. */
final class ClientOptions {

	private ClientOptions() {
	}

	/**
	 * Creates options.
	 * @param prefix prefix of the properties of these options
	 * @param options creates the options
	 * @return the options
	 * @throws InvalidConfigurationPropertyValueException if an option is invalid
	 */
	static <T> T create(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			throw OptionProperties.invalid(prefix, ex);
		}
	}

}
