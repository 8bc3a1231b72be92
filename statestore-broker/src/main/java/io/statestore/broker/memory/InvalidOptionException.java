package io.statestore.broker.memory;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the value of an option of the broker or the gateway is invalid. The message
 * names the option, the value, and the valid values.
 */
public final class InvalidOptionException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String option;

	/** The invalid value, {@code null} for a secret. */
	private final @Nullable String value;

	private final String valid;

	private final @Nullable String limitingOption;

	/**
	 * Creates an exception.
	 * @param option name of the option, as in the builder
	 * @param value the invalid value, or {@code null} if the value is a secret
	 * @param valid the valid values, such as "at least 1"
	 */
	public InvalidOptionException(String option, @Nullable Object value, String valid) {
		this(option, value, valid, null);
	}

	/**
	 * Creates an exception for a value above a maximum that depends on another option.
	 * @param option name of the option, as in the builder
	 * @param value the invalid value, or {@code null} if the value is a secret
	 * @param valid the valid values, such as "at least 1"
	 * @param limitingOption name of the option to raise, or {@code null}
	 */
	public InvalidOptionException(String option, @Nullable Object value, String valid,
			@Nullable String limitingOption) {
		super(message(option, value, valid, limitingOption, InvalidOptionException::quoted));
		this.option = option;
		this.value = (value != null) ? value.toString() : null;
		this.valid = valid;
		this.limitingOption = limitingOption;
	}

	private static String message(String option, @Nullable Object value, String valid, @Nullable String limitingOption,
			UnaryOperator<String> names) {
		return "Option " + names.apply(option) + " is " + ((value != null) ? quoted(value.toString()) : "invalid")
				+ "; valid is " + valid(valid, limitingOption, names);
	}

	private static String quoted(String text) {
		return "'" + text + "'";
	}

	private static String valid(String valid, @Nullable String limitingOption, UnaryOperator<String> names) {
		return (limitingOption != null) ? valid + ". Lower it, or raise " + names.apply(limitingOption) : valid;
	}

	/**
	 * Returns the name of the option.
	 * @return the name, as in the builder
	 */
	public String option() {
		return this.option;
	}

	/**
	 * Returns the invalid value as text.
	 * @return the value, empty if it is a secret
	 */
	public String value() {
		return (this.value != null) ? this.value : "";
	}

	/**
	 * Returns the message with other names of options.
	 * @param names function from the name of an option to the text to show for it
	 * @return the message
	 */
	public String message(UnaryOperator<String> names) {
		return message(this.option, this.value, this.valid, this.limitingOption, names);
	}

	/**
	 * Returns the reason why the value is invalid, without the name of the option and
	 * without the value.
	 * @param names function from the name of an option to the name to show
	 * @return one or more sentences, such as "It must be at least 1."
	 */
	public String reason(UnaryOperator<String> names) {
		return "It must be " + valid(this.valid, this.limitingOption, (name) -> quoted(names.apply(name))) + ".";
	}

}
