package io.statestore.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the value of an option is invalid. The message names the option, the valid
 * values, and the value.
 */
public final class InvalidOptionException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String option;

	private final @Nullable String value;

	private final String reason;

	/**
	 * Creates an exception.
	 * @param option name of the option, as in the class that declares it
	 * @param value the invalid value, {@code null} if the option is not set; must not be
	 * a secret
	 * @param requirement requirement that the value violates, such as "must be at least
	 * 1"
	 */
	public InvalidOptionException(String option, @Nullable Object value, String requirement) {
		super(message(option, value, requirement));
		this.option = option;
		this.value = (value != null) ? value.toString() : null;
		this.reason = "It " + requirement + ".";
	}

	/**
	 * Creates an exception with advice on how to choose a value.
	 * @param option name of the option, as in the class that declares it
	 * @param value the invalid value, {@code null} if the option is not set; must not be
	 * a secret
	 * @param requirement requirement that the value violates, such as "must be at least
	 * 1"
	 * @param advice a sentence without a period
	 */
	public InvalidOptionException(String option, @Nullable Object value, String requirement, String advice) {
		super(message(option, value, requirement) + ". " + advice);
		this.option = option;
		this.value = (value != null) ? value.toString() : null;
		this.reason = "It " + requirement + ". " + advice + ".";
	}

	private static String message(String option, @Nullable Object value, String requirement) {
		String shown = (value instanceof CharSequence) ? "'" + value + "'" : String.valueOf(value);
		return "'" + option + "' " + requirement + ", but is " + shown;
	}

	/**
	 * Returns the name of the option.
	 * @return the name, as in the class that declares the option
	 */
	public String option() {
		return this.option;
	}

	/**
	 * Returns the invalid value as text.
	 * @return the value, {@code null} if the option is not set
	 */
	public @Nullable String value() {
		return this.value;
	}

	/**
	 * Returns the reason why the value is invalid, without the name of the option and
	 * without the value.
	 * @return one or more sentences, such as "It must be at least 1."
	 */
	public String reason() {
		return this.reason;
	}

}
