package io.statestore.sample.press;

import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Checks names of presses. The key of a press's reading is {@code line/} followed by its
 * name.
 */
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
	 * @param name name to check
	 * @param property property that contains the name
	 * @return the valid name
	 * @throws InvalidConfigurationPropertyValueException if the name is invalid
	 */
	public static String requireValid(String name, String property) {
		if (!isValid(name)) {
			throw new InvalidConfigurationPropertyValueException(property, name,
					"It must be 'press-' and 1 to 40 letters, digits, '-', '.', or '_', such as press-3");
		}
		return name;
	}

}
