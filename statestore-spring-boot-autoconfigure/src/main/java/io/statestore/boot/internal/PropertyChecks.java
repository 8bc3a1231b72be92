package io.statestore.boot.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Checks properties. Does not depend on the protocol module, which Dafka applications may
 * lack. Properties with directories and files have the type {@code String}, because
 * Spring would search for a relative {@code Path} on the class path first.
 */
public final class PropertyChecks {

	private PropertyChecks() {
	}

	/**
	 * Returns a directory. A relative path is resolved against the working directory.
	 * @param property name of the property
	 * @param directory value of the property
	 * @param alternative what to do instead of setting a directory, in the imperative
	 * @return an absolute path
	 * @throws InvalidConfigurationPropertyValueException if the value is not a path
	 */
	public static Path path(String property, String directory, String alternative) {
		return path(property, directory, "It must be a directory", alternative);
	}

	/**
	 * Returns a file. A relative path is resolved against the working directory.
	 * @param property name of the property
	 * @param file value of the property
	 * @param alternative what to do instead of setting a file, in the imperative
	 * @return an absolute path
	 * @throws InvalidConfigurationPropertyValueException if the value is not a path
	 */
	public static Path file(String property, String file, String alternative) {
		return path(property, file, "It must be a file", alternative);
	}

	private static Path path(String property, String value, String requirement, String alternative) {
		if (value.isBlank()) {
			throw new InvalidConfigurationPropertyValueException(property, value, requirement + ". " + alternative);
		}
		try {
			return Path.of(value).toAbsolutePath().normalize();
		}
		catch (InvalidPathException ex) {
			throw invalid(property, value, requirement + ": " + ex.getReason(), ex);
		}
	}

	/**
	 * Requires a property to be valid.
	 * @param valid whether the value is valid
	 * @param property name of the property
	 * @param value value of the property
	 * @param reason why the value would be invalid
	 * @throws InvalidConfigurationPropertyValueException if {@code valid} is
	 * {@code false}
	 */
	public static void require(boolean valid, String property, @Nullable Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(property, value, reason);
		}
	}

	/**
	 * Creates an exception that reports an invalid property.
	 * @param property name of the property
	 * @param value value of the property
	 * @param reason why the value is invalid
	 * @param cause original exception
	 * @return a new exception
	 */
	public static InvalidConfigurationPropertyValueException invalid(String property, @Nullable Object value,
			String reason, Exception cause) {
		InvalidConfigurationPropertyValueException invalid = new InvalidConfigurationPropertyValueException(property,
				value, reason);
		// The constructor has already set the cause to null.
		invalid.addSuppressed(cause);
		return invalid;
	}

}
