package io.statestore.sample.press;

import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Names of presses. The reading of a press is the key {@code line/} and its name. */
public final class PressNames {

	private static final Pattern NAME = Pattern.compile("press-[A-Za-z0-9_.-]{1,40}");

	private PressNames() {
	}

	/** Returns whether a name is valid. */
	public static boolean isValid(String name) {
		return NAME.matcher(name).matches();
	}

	/**
	 * Returns a name if it is valid.
	 * @param name the name
	 * @param property the property that contains it
	 * @return the name
	 * @throws InvalidConfigurationPropertyValueException if it is invalid
	 */
	public static String requireValid(String name, String property) {
		if (!isValid(name)) {
			throw new InvalidConfigurationPropertyValueException(property, name,
					"It must be 'press-' and 1 to 40 letters, digits, '-', '.', or '_', such as press-3");
		}
		return name;
	}

}
