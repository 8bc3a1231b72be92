package io.statestore.boot.internal;

import java.util.Map;
import java.util.function.Supplier;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Maps options of the client and the broker to the properties that set them, for error
 * messages.
 */
public final class OptionProperties {

	/** Properties that are not named after their option. */
	private static final Map<String, String> RENAMED = Map.ofEntries(
			Map.entry("statestore.reconnectInitialDelay", "statestore.reconnect.max-delay"),
			Map.entry("statestore.reconnectMaxDelay", "statestore.reconnect.max-delay"),
			Map.entry("statestore.tls", "statestore.ssl.bundle"),
			Map.entry("statestore.embedded.directory", "statestore.embedded.data-directory"),
			Map.entry("statestore.embedded.rules", "statestore.embedded.rules-file"),
			Map.entry("statestore.embedded.cluster", "statestore.embedded.cluster.node"),
			Map.entry("statestore.embedded.history", "statestore.embedded.history.retention"),
			Map.entry("statestore.embedded.history.time", "statestore.embedded.history.retention"),
			Map.entry("statestore.embedded.history.bytes", "statestore.embedded.history.size"));

	private OptionProperties() {
	}

	/**
	 * Returns the property that sets an option.
	 * @param prefix prefix of the properties, such as {@code "statestore."}
	 * @param option name of the option
	 * @return the property name
	 */
	public static String name(String prefix, String option) {
		String renamed = RENAMED.get(prefix + option);
		return (renamed != null) ? renamed : prefix + DataObjectPropertyName.toDashedForm(option);
	}

	/**
	 * Creates options, reporting an invalid option by its property.
	 * @param prefix prefix of the options' properties, such as {@code "statestore."}
	 * @param options creates the options
	 * @return the created options
	 * @throws InvalidConfigurationPropertyValueException if an option is invalid
	 */
	public static <T extends @Nullable Object> T create(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			throw invalid(prefix, ex, "");
		}
	}

	/**
	 * Creates an exception that reports an invalid option by its property.
	 * @param prefix prefix of the properties, such as {@code "statestore."}
	 * @param invalid exception thrown by the client or the broker
	 * @param hint text to append to the reason, possibly empty
	 * @return a new exception
	 */
	public static InvalidConfigurationPropertyValueException invalid(String prefix, InvalidOptionException invalid,
			String hint) {
		return new InvalidConfigurationPropertyValueException(name(prefix, invalid.option()), invalid.value(),
				invalid.reason((option) -> name(prefix, option)) + hint);
	}

	/**
	 * Returns an SSL bundle after checking that its files are readable.
	 * @param bundles all bundles
	 * @param property property that names the bundle, for the error message
	 * @param name name of the bundle
	 * @return the bundle with this name
	 * @throws InvalidConfigurationPropertyValueException if there is no such bundle or
	 * its files cannot be read
	 */
	public static SslBundle bundle(SslBundles bundles, String property, String name) {
		try {
			SslBundle bundle = bundles.getBundle(name);
			bundle.createSslContext();
			return bundle;
		}
		catch (RuntimeException ex) {
			throw PropertyChecks.invalid(property, name, "The SSL bundle cannot be used: " + ex.getMessage()
					+ ". Correct the properties of the bundle, which start with spring.ssl.bundle, or its files", ex);
		}
	}

}
