package io.statestore.boot.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Conversion of properties with directories and files. They have the type {@code String},
 * because Spring would search for a relative {@code Path} on the class path first.
 */
public final class DirectoryProperties {

	private DirectoryProperties() {
	}

	/**
	 * Returns a directory. A relative one is resolved against the working directory.
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
	 * Returns a file. A relative one is resolved against the working directory.
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
			throw OptionProperties.invalid(property, value, requirement + ": " + ex.getReason(), ex);
		}
	}

}
