package io.statestore.protocol;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the value of a client or broker option is invalid. The message names the
 * option, the valid values, and the invalid value.
 */
public final class InvalidOptionException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String option;

	private final @Nullable String value;

	/** The value as shown in messages. */
	private final String shown;

	private final String requirement;

	private final @Nullable String advice;

	private final @Nullable String limitingOption;

	/**
	 * Creates an exception.
	 * @param option name of the option, as in the class that declares it
	 * @param value the invalid value, {@code null} if the option is not set; must not be
	 * a secret
	 * @param requirement the requirement that the value violates, such as "must be at
	 * least 1"
	 */
	public InvalidOptionException(String option, @Nullable Object value, String requirement) {
		this(option, value, requirement, null, null);
	}

	/**
	 * Creates an exception with advice on how to choose a value.
	 * @param option name of the option, as in the class that declares it
	 * @param value the invalid value, {@code null} if the option is not set; must not be
	 * a secret
	 * @param requirement the requirement that the value violates, such as "must be at
	 * least 1"
	 * @param advice a sentence without a period, or {@code null}
	 */
	public InvalidOptionException(String option, @Nullable Object value, String requirement, @Nullable String advice) {
		this(option, value, requirement, advice, null);
	}

	private InvalidOptionException(String option, @Nullable Object value, String requirement, @Nullable String advice,
			@Nullable String limitingOption) {
		super(message(option, shown(value), requirement, advice, limitingOption, InvalidOptionException::quoted));
		this.option = option;
		this.value = (value != null) ? value.toString() : null;
		this.shown = shown(value);
		this.requirement = requirement;
		this.advice = advice;
		this.limitingOption = limitingOption;
	}

	/**
	 * Creates an exception for a value above a maximum that depends on another option.
	 * @param option name of the option, as in the class that declares it
	 * @param value the invalid value
	 * @param requirement requirement that the value violates
	 * @param limitingOption name of the option to raise
	 * @return a new exception
	 */
	public static InvalidOptionException limited(String option, Object value, String requirement,
			String limitingOption) {
		return new InvalidOptionException(option, value, requirement, null, limitingOption);
	}

	/**
	 * Checks the range of a number.
	 * @param option name of the option, as in the class that declares it
	 * @param value the value to check
	 * @param min smallest valid value
	 * @param max largest valid value, {@link Integer#MAX_VALUE} or more for no limit
	 * @return the value
	 * @throws InvalidOptionException if the value is out of range
	 */
	public static long requireWithin(String option, long value, long min, long max) {
		if (value < min || value > max) {
			throw new InvalidOptionException(option, value,
					"must be " + ((max < Integer.MAX_VALUE) ? min + " to " + max : "at least " + min));
		}
		return value;
	}

	private static String shown(@Nullable Object value) {
		return (value instanceof CharSequence text) ? quoted(text.toString()) : String.valueOf(value);
	}

	private static String quoted(String text) {
		return "'" + text + "'";
	}

	private static String message(String option, String shown, String requirement, @Nullable String advice,
			@Nullable String limitingOption, UnaryOperator<String> names) {
		return names.apply(option) + ' ' + requirement + ", but is " + shown + advice(advice, limitingOption, names);
	}

	private static String advice(@Nullable String advice, @Nullable String limitingOption,
			UnaryOperator<String> names) {
		if (limitingOption != null) {
			return ". Lower it, or raise " + names.apply(limitingOption);
		}
		return (advice != null) ? ". " + advice : "";
	}

	/**
	 * Returns the option's name.
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
	 * Returns the message with different option names.
	 * @param names maps an option's name to the name to show
	 * @return the message with the mapped names
	 */
	public String message(UnaryOperator<String> names) {
		return message(this.option, this.shown, this.requirement, this.advice, this.limitingOption, names);
	}

	/**
	 * Returns why the value is invalid, without the option's name and the value.
	 * @return one or more sentences, such as "It must be at least 1."
	 */
	public String reason() {
		return reason(UnaryOperator.identity());
	}

	/**
	 * Returns the {@linkplain #reason() reason} with different option names.
	 * @param names maps an option's name to the name to show
	 * @return the reason
	 */
	public String reason(UnaryOperator<String> names) {
		return "It " + this.requirement
				+ advice(this.advice, this.limitingOption, (option) -> quoted(names.apply(option))) + ".";
	}

}
