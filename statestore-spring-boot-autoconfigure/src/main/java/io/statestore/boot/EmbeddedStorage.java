package io.statestore.boot;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.log.LogException;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/** Converts the storage settings in {@link EmbeddedProperties} to broker options. */
final class EmbeddedStorage {

	private static final String PREFIX = "statestore.embedded.";

	private static final String DIRECTORY = PREFIX + "data-directory";

	private static final String HISTORY = PREFIX + "history.";

	private EmbeddedStorage() {
	}

	/**
	 * Returns the broker's storage options. A relative directory becomes absolute.
	 * @param properties broker properties
	 * @return the options; {@code null} if no directory is set
	 * @throws InvalidConfigurationPropertyValueException if the directory is not a path,
	 * a history limit is out of range, or another property requires a directory
	 * @throws InvalidOptionException if another option is invalid
	 */
	static @Nullable StorageOptions of(EmbeddedProperties properties) {
		String directory = properties.dataDirectory();
		if (directory == null) {
			requireDirectory("fsync", properties.fsync());
			requireDirectory("persist", properties.persist());
			requireDirectory("history.retention", properties.history().retention());
			requireDirectory("history.size", properties.history().size());
			return null;
		}
		PropertyMapper map = PropertyMapper.get();
		StorageOptions options = StorageOptions
			.in(PropertyChecks.path(DIRECTORY, directory, "Remove the property to keep all data in memory"));
		options = map.from(properties::fsync).to(options, StorageOptions::withFsync);
		options = map.from(properties::persist).to(options, StorageOptions::withPersist);
		return options.withHistory(history(properties.history()));
	}

	/**
	 * Returns how much history the broker keeps.
	 * @param properties history properties
	 * @return the limits; {@code null} if no history is kept
	 * @throws InvalidConfigurationPropertyValueException if a limit is out of range
	 */
	static @Nullable HistoryRetention history(EmbeddedProperties.History properties) {
		DataSize size = properties.size();
		return OptionProperties.create(HISTORY,
				() -> HistoryRetention.ofLimits(properties.retention(), (size != null) ? size.toBytes() : null));
	}

	/**
	 * Creates an exception that says why the broker cannot use its directory.
	 * @param properties broker properties
	 * @param cause exception thrown by the broker
	 * @return a new exception
	 */
	static InvalidConfigurationPropertyValueException invalid(EmbeddedProperties properties, LogException cause) {
		return PropertyChecks.invalid(DIRECTORY, String.valueOf(properties.dataDirectory()),
				String.valueOf(cause.getMessage()), cause);
	}

	private static void requireDirectory(String property, @Nullable Object value) {
		PropertyChecks.require(value == null, PREFIX + property, value,
				"It has no effect on data in memory. Set '" + DIRECTORY + "' as well, or remove the property");
	}

}
